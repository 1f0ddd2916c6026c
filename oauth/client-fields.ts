const LONGEST_NAME = 200;
const LONGEST_URI = 2048;

/** Why a text is no name of a client, which people read before they consent. */
export function faultOfName(name: unknown): string | undefined {
  const plain = typeof name === 'string' && !/[\p{Cc}\p{Cs}\u2028-\u202e\u2066-\u2069]/u.test(name);
  return plain && name.length <= LONGEST_NAME ? undefined : `must be plain text of at most ${LONGEST_NAME} characters`;
}

/** Why an address is no redirect URI. What a parser would quietly mend is refused: it is compared as it was sent. */
export function faultOfRedirectUri(uri: unknown): string | undefined {
  if (typeof uri !== 'string') return 'every entry must be a text';
  if (uri.length > LONGEST_URI) return `an address has at most ${LONGEST_URI} characters`;
  if (!/^[\x21-\x7e]*$/.test(uri) || uri.includes('\\')) {
    return 'an address is written without spaces, backslashes and non-ASCII characters';
  }
  const parts = /^https?:\/\/([^/?#]+)/i.exec(uri);
  if (parts === null || !URL.canParse(uri)) return 'an address must be a complete http or https URL';
  if (parts[1]!.includes('@')) return 'an address must not contain a user name or password';
  if (uri.includes('#')) return 'an address must not contain a fragment';
  return undefined;
}
