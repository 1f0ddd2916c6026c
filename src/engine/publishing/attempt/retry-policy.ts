import { MINUTE } from '#kernel/clock.ts';
import type { Tally } from '#db/schema/database.ts';
import type { FailureKind, PlatformError } from '#platforms/errors.ts';
import type { Step } from '#platforms/posts.ts';
import { waitForPending } from '../../jobs/pending.ts';

/** A lookup sooner than this cannot prove that nothing was made: the longest request deadline and a minute. */
export const SETTLE_AFTER_MS = 2 * 60_000;

/** Waits after an unknown outcome: none at first, then longer and longer. */
const UNKNOWN_WAITS = Object.freeze([0, 5_000, 30_000, 2 * MINUTE, 10 * MINUTE]);
/** Waits before lookups of a visible step, so that the platform can finish it; sent again only if certainly absent. */
const SETTLE_WAITS = Object.freeze([SETTLE_AFTER_MS, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE]);
/** Waits if certainly nothing was sent. */
const UNSENT_WAITS = Object.freeze([10_000, MINUTE]);
const LONGEST_THROTTLE = 15 * MINUTE;
const MOST_THROTTLES = 5;
/** The most waits in a round, in case a platform never stops asking for more time. */
const MOST_WAITS = 60;

export type Next = Readonly<{ waitMs: number; logged: boolean }> | Readonly<{ over: 'held_back' | 'exhausted' }>;

/** Decides what follows a failure other than a refusal; `settles`: the platform supports looking up a step. */
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
  // Waiting for a visible step is pointless if it cannot be looked up.
  const lookups = settles ? SETTLE_WAITS : [];
  const sent = kind === 'visible' ? lookups : UNKNOWN_WAITS;
  const schedule = unsent ? UNSENT_WAITS : sent;
  const waitMs = waits < MOST_WAITS ? schedule[attempts] : undefined;
  return waitMs === undefined ? { over: 'exhausted' } : { waitMs, logged: unsent };
}

/** The failure counts of a step; they start from zero for another step. */
export function tallyAt(step: string | undefined, before: Tally | undefined): Tally {
  return before !== undefined && before.step === step ? before : { step };
}

export function countFailure(tally: Tally, outcome: FailureKind, now: number): Tally {
  const since = outcome === 'pending' ? { pending_since: tally.pending_since ?? now } : {};
  return { ...tally, ...since, [outcome]: (tally[outcome] ?? 0) + 1 };
}
