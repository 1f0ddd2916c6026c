import { digits, randomText } from '../kit/ids.ts';

export { seconds } from '../kit/ids.ts';

/** Digits only, as in Graph, and too long for a JSON number to hold exactly. */
export const newId = (): string => `122${digits(14)}`;

/** The part of a post or comment id after the underscore. */
export const newNumber = (): string => `7${digits(14)}`;

export const newThreadId = (): string => `t_${digits(16)}`;
export const newMessageId = (): string => `m_${randomText(48)}`;
export const newTrace = (): string => `A${randomText(16)}`;

/** Formats a time as Graph does, without milliseconds and without a colon in the offset. */
export const graphTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}+0000`;
