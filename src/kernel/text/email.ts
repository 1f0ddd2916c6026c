/** An e-mail address as it is stored: nobody has two that differ in case alone. Undefined when the text is none. */
export function emailOf(text: string): string | undefined {
  const email = text.normalize('NFC').trim().toLowerCase();
  return email.length <= 254 && /^[^\s@\0]+@[^\s@\0]+$/.test(email) ? email : undefined;
}
