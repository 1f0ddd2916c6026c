import { type Clock, sleep } from '#kernel/clock.ts';
import { PlatformError } from '#platforms/errors.ts';
import type { Measured, OutgoingPost, Published, TriedPart } from '#platforms/posts.ts';
import { isSameText } from '#platforms/shared/settle.ts';
import type { Work } from './deps.ts';
import type { Trail, Verdict } from './trail.ts';

/** A post that was made, and what was sent for it. */
export type Made = Readonly<{ post: OutgoingPost; published: Published }>;

/** Platforms show with a delay what is new: how often they are asked, and how long after each other. */
const LOOKS = 5;
const LOOK_MS = 3_000;
/** How many of the newest things are looked through. */
export const NEWEST = 20;

/** Asks until the answer is the one that is waited for, a few times. */
export async function eventually<T>(clock: Clock, read: () => Promise<T>, isDone: (found: T) => boolean): Promise<T> {
  for (let look = 1; ; look += 1) {
    const found = await read();
    if (isDone(found) || look === LOOKS) return found;
    await sleep(clock, LOOK_MS);
  }
}

/** Skips a part that the platform has no way for; answers whether it was skipped. */
export function skips({ trail, platform }: Work, part: TriedPart, isThere: boolean): boolean {
  const why = platform.verification!.without?.[part] ?? (isThere ? undefined : 'the connector has no way to');
  if (why !== undefined) trail.skip(part, why);
  return why !== undefined;
}

/** What the platform refused of an answer that consists of several parts: a difference for each. */
export const refusedParts = (trail: Trail, errors: readonly PlatformError[]): readonly string[] =>
  errors.map((error) => `a part of it is refused: ${trail.failure(error).seen}`);

/** The same of counts. */
export const refusedCounts = (trail: Trail, counts: Measured): readonly string[] =>
  refusedParts(
    trail,
    [...counts.values()].filter((one) => one instanceof PlatformError),
  );

/** What it comes to that something is there again, or is not, with the text that was sent. */
export function readAgain(found: Readonly<{ text: string }> | undefined, sent: string): Verdict<never> {
  if (found === undefined) return { seen: 'it is not there', differs: ['it is not there'] };
  if (isSameText(found.text, sent)) return { seen: 'it is, with that text' };
  return { seen: 'it is, with another text', differs: ['the text is not the one that was sent'] };
}
