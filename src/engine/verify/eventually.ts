import { type Clock, sleep } from '#kernel/clock.ts';
import { PlatformError } from '#platforms/errors.ts';
import type { Measured, OutgoingPost, Published, TriedPart } from '#platforms/posts.ts';
import { isSameText } from '#platforms/shared/settle.ts';
import type { Work } from './deps.ts';
import type { Trail, Verdict } from './trail.ts';

/** A created post, and what was sent to create it. */
export type Made = Readonly<{ post: OutgoingPost; published: Published }>;

/** How often to look for a new object, and how long to wait in between: platforms show it with a delay. */
const LOOKS = 5;
const LOOK_MS = 3_000;
/** How many of the newest items are searched. */
export const NEWEST = 20;

/** Reads a few times until the result is as expected. */
export async function eventually<T>(clock: Clock, read: () => Promise<T>, isDone: (found: T) => boolean): Promise<T> {
  for (let look = 1; ; look += 1) {
    const found = await read();
    if (isDone(found) || look === LOOKS) return found;
    await sleep(clock, LOOK_MS);
  }
}

/** Skips a part that the platform does not support; returns whether it did. */
export function skips({ trail, platform }: Work, part: TriedPart, isThere: boolean): boolean {
  const why = platform.verification!.without?.[part] ?? (isThere ? undefined : 'the connector has no way to');
  if (why !== undefined) trail.skip(part, why);
  return why !== undefined;
}

/** One difference for each part of a response that was refused. */
export const refusedParts = (trail: Trail, errors: readonly PlatformError[]): readonly string[] =>
  errors.map((error) => `a part of it is refused: ${trail.failure(error).seen}`);

export const refusedCounts = (trail: Trail, counts: Measured): readonly string[] =>
  refusedParts(
    trail,
    [...counts.values()].filter((one) => one instanceof PlatformError),
  );

export function readAgain(found: Readonly<{ text: string }> | undefined, sent: string): Verdict<never> {
  if (found === undefined) return { seen: 'it is not there', differs: ['it is not there'] };
  if (isSameText(found.text, sent)) return { seen: 'it is, with that text' };
  return { seen: 'it is, with another text', differs: ['the text is not the one that was sent'] };
}
