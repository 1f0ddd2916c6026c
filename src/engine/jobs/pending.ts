/** Waits between checks of a platform that is still processing; the last one repeats. */
const WAITS_MS = Object.freeze([2_000, 5_000, 10_000, 20_000, 30_000, 60_000]);
const MAX_WAIT_MS = 10 * 60_000;

/** Pending work: how often and since when it has been checked, and how long it may take (milliseconds). */
export type Pending = Readonly<{ asked: number; since: number; maxWaitMs?: number | undefined }>;

/** Milliseconds until the next check of pending work; undefined once it has taken too long. */
export function waitForPending(
  { asked, since, maxWaitMs = MAX_WAIT_MS }: Pending,
  { now, retryAfter }: Readonly<{ now: number; retryAfter: number | undefined }>,
): number | undefined {
  const left = since + maxWaitMs - now;
  if (left <= 0) return undefined;
  const waitMs = retryAfter === undefined ? WAITS_MS[Math.min(asked, WAITS_MS.length - 1)]! : retryAfter * 1000;
  return Math.min(Math.max(waitMs, 1000), left);
}
