import { MINUTE } from '#kernel/clock.ts';
import type { Tally } from '#db/schema/database.ts';
import type { FailureKind, PlatformError } from '#platforms/errors.ts';
import type { Step } from '#platforms/posts.ts';
import { waitForPending } from '../../jobs/pending.ts';

/** How soon a lookup may say that nothing was made: the longest deadline and a minute. */
export const SETTLE_AFTER_MS = 2 * 60_000;

/** Waits after an unknown outcome: at once, then longer and longer. */
const UNKNOWN_WAITS = Object.freeze([0, 5_000, 30_000, 2 * MINUTE, 10 * MINUTE]);
/** A visible step is looked up, never repeated: first when the platform has had time to finish it. */
const SETTLE_WAITS = Object.freeze([SETTLE_AFTER_MS, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE]);
/** Waits when provably nothing was sent. */
const UNSENT_WAITS = Object.freeze([10_000, MINUTE]);
const LONGEST_THROTTLE = 15 * MINUTE;
const MOST_THROTTLES = 5;
/** All waits of a round: the limit for a platform with endless excuses. */
const MOST_WAITS = 60;

export type Next = Readonly<{ waitMs: number; logged: boolean }> | Readonly<{ over: 'held_back' | 'exhausted' }>;

/** What follows a failure other than a refusal; `settles`: the step can be looked up. */
export function afterFailure(
  error: Pick<PlatformError, 'kind' | 'retryAfter'>,
  { kind, maxWaitMs }: Pick<Step, 'kind' | 'maxWaitMs'>,
  { tally, waits, now, settles }: Readonly<{ tally: Tally; waits: number; now: number; settles: boolean }>,
): Next {
  const attempts = tally[error.kind] ?? 0;
  if (error.kind === 'pending') {
    const pending = { asked: attempts, since: tally.pending_since ?? now, maxWaitMs };
    const waitMs = waitForPending(pending, { now, retryAfter: error.retryAfter });
    return waitMs === undefined ? { over: 'exhausted' } : { waitMs, logged: false };
  }
  if (error.kind === 'throttled') {
    const waitMs = Math.max(1000, (error.retryAfter ?? 60) * 1000);
    const patient = waitMs <= LONGEST_THROTTLE && attempts < MOST_THROTTLES && waits < MOST_WAITS;
    return patient ? { waitMs, logged: false } : { over: 'held_back' };
  }
  const unsent = error.kind === 'not_sent';
  // Without a lookup, waiting reveals nothing.
  const lookups = settles ? SETTLE_WAITS : [];
  const sent = kind === 'visible' ? lookups : UNKNOWN_WAITS;
  const schedule = unsent ? UNSENT_WAITS : sent;
  const waitMs = waits < MOST_WAITS ? schedule[attempts] : undefined;
  return waitMs === undefined ? { over: 'exhausted' } : { waitMs, logged: unsent };
}

/** The tally of a step; another step starts a new one. */
export function tallyAt(step: string | undefined, before: Tally | undefined): Tally {
  return before !== undefined && before.step === step ? before : { step };
}

export function countFailure(tally: Tally, outcome: FailureKind, now: number): Tally {
  const since = outcome === 'pending' ? { pending_since: tally.pending_since ?? now } : {};
  return { ...tally, ...since, [outcome]: (tally[outcome] ?? 0) + 1 };
}
