/** An email address as it is stored, in lower case; undefined for anything else. */
export function emailOf(text: string): string | undefined {
  const email = text.normalize('NFC').trim().toLowerCase();
  return email.length <= 254 && /^[^\s@\0]+@[^\s@\0]+$/.test(email) ? email : undefined;
}
