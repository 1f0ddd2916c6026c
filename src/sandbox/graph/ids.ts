import { createHash, randomBytes, randomInt } from 'node:crypto';

/** A fresh id as Graph makes them: digits only, and longer than what a JSON number can hold exactly. */
export const newId = (): string => `122${digits(14)}`;

/** The part of a post or comment id after the underscore. */
export const newNumber = (): string => `7${digits(14)}`;

export const newThreadId = (): string => `t_${digits(16)}`;
export const newMessageId = (): string => `m_${randomBytes(48).toString('base64url')}`;
export const newTrace = (): string => `A${randomBytes(16).toString('base64url')}`;

/** An id that follows from its words, so that links made against a twin outlive its file. */
export function fixedId(...words: readonly string[]): string {
  const hash = createHash('sha256')
    .update(`sandbox facebook ${words.join(' ')}`)
    .digest();
  return `1${String(hash.readBigUInt64BE() % 10n ** 15n).padStart(15, '0')}`;
}

/** Time as Graph writes it: no fraction, and no colon in the offset. */
export const graphTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}+0000`;

export const seconds = (ms: number): number => Math.floor(ms / 1000);

function digits(count: number): string {
  return Array.from({ length: count }, (_, at) => randomInt(at === 0 ? 1 : 0, 10)).join('');
}
