import { createHash, randomBytes, randomInt } from 'node:crypto';

/** So many random digits; the first is none. */
export function digits(count: number): string {
  return Array.from({ length: count }, (_, at) => randomInt(at === 0 ? 1 : 0, 10)).join('');
}

/** A random text of the characters of base64url, as long as so many bytes make it. */
export const randomText = (bytes: number): string => randomBytes(bytes).toString('base64url');

/** An id of 16 digits that follows from its words, so that links made against a twin outlive its file. */
export function fixedId(network: string, ...words: readonly string[]): string {
  const hash = createHash('sha256')
    .update(`sandbox ${network} ${words.join(' ')}`)
    .digest();
  return `1${String(hash.readBigUInt64BE() % 10n ** 15n).padStart(15, '0')}`;
}

export const seconds = (ms: number): number => Math.floor(ms / 1000);

/** A path as the journal shows it: parts that may be secrets are cut short. */
export const shownPath = (path: string): string => path.replaceAll(/(?<=\/)([^/]{8})[^/]{24,}(?=\/|$)/g, '$1…');
