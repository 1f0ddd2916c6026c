import { createHash, randomBytes, randomInt } from 'node:crypto';
import type { Clock } from '#kernel/clock.ts';

export function digits(count: number): string {
  return Array.from({ length: count }, (_, at) => randomInt(at === 0 ? 1 : 0, 10)).join('');
}

export const randomText = (bytes: number): string => randomBytes(bytes).toString('base64url');

/** An id of 16 digits derived from `words`, so that links stay valid when the database is created again. */
export function fixedId(network: string, ...words: readonly string[]): string {
  const hash = createHash('sha256')
    .update(`sandbox ${network} ${words.join(' ')}`)
    .digest();
  return `1${String(hash.readBigUInt64BE() % 10n ** 15n).padStart(15, '0')}`;
}

/** Makes unique, increasing ids from the time; `last` is the highest one so far. */
export function makeTimeIds(clock: Clock, { epoch, bits }: Readonly<{ epoch: number; bits: bigint }>, last: bigint) {
  let newest = last;
  return function newId(): string {
    const now = BigInt(clock.now() - epoch) << bits;
    newest = now > newest ? now : newest + 1n;
    return String(newest);
  };
}

export const seconds = (ms: number): number => Math.floor(ms / 1000);

/** Shortens parts of a path in the journal that may be secrets. */
export const displayPath = (path: string): string => path.replaceAll(/(?<=\/)([^/]{8})[^/]{24,}(?=\/|$)/g, '$1…');
