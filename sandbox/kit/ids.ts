import { createHash, randomBytes, randomInt } from 'node:crypto';
import type { Clock } from '#kernel/clock.ts';

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

/** Ids that are times and never repeat: a later one is larger than `last`, the largest there is. */
export function makeTimeIds(clock: Clock, { epoch, bits }: Readonly<{ epoch: number; bits: bigint }>, last: bigint) {
  let newest = last;
  return function newId(): string {
    const now = BigInt(clock.now() - epoch) << bits;
    newest = now > newest ? now : newest + 1n;
    return String(newest);
  };
}

export const seconds = (ms: number): number => Math.floor(ms / 1000);

/** A path as the journal shows it: parts that may be secrets are cut short. */
export const displayPath = (path: string): string => path.replaceAll(/(?<=\/)([^/]{8})[^/]{24,}(?=\/|$)/g, '$1…');
