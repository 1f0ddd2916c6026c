import { UNSEEN } from '#kernel/text/blank.ts';

const LONGEST_NAME = 200;
const LONGEST_URI = 2048;

/** Invisible characters, and those that fonts may lack. */
const INVISIBLE = new RegExp(String.raw`[${UNSEEN}\p{Co}\p{Cs}]`, 'v');
/** No script stacks more than four combining marks; a leading one would combine with the text before. */
const STACKED = /^\p{M}|\p{M}{5}/u;

/** Why a client name, which people read on the consent page, is invalid. */
export function faultOfName(name: unknown): string | undefined {
  if (typeof name !== 'string' || name.length > LONGEST_NAME) {
    return `must be plain text of at most ${LONGEST_NAME} characters`;
  }
  // Emoji are visible, although they contain joiners.
  if (name.trim() === '' || INVISIBLE.test(name.replaceAll(/\p{RGI_Emoji}/gv, '*'))) {
    return 'must be plain text without invisible characters';
  }
  if (STACKED.test(name.trim().normalize('NFC'))) return 'must not stack marks on a letter';
  return isOwnName(name) ? 'must not be the name of this server' : undefined;
}

/** Letters and digits that resemble those of the product's name. */
const LOOKALIKES: Readonly<Record<string, RegExp>> = {
  o: /[0\u043e\u03bf\u0585]/gu,
  s: /[\u0455\ua731]/gu,
  t: /[\u0442\u03c4]/gu,
  a: /[\u0430\u03b1\u0251]/gu,
};

/** Whether a name resembles the product's own, in any script and spacing. */
function isOwnName(name: string): boolean {
  const letters = name
    .replaceAll(/[™℠]/g, '')
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();
  const read = Object.entries(LOOKALIKES).reduce((text, [letter, alike]) => text.replaceAll(alike, letter), letters);
  return read === 'rostra';
}

/** Why a redirect URI is invalid. URLs that a parser would correct are refused, because they are compared as text. */
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
