/** Normalizes an email address to lower case, as it is stored; undefined if the text is not one. */
export function emailOf(text: string): string | undefined {
  const email = text.normalize('NFC').trim().toLowerCase();
  return email.length <= 254 && /^[^\s@\0]+@[^\s@\0]+$/.test(email) ? email : undefined;
}
