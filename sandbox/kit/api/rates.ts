import type { Clock } from '#kernel/clock.ts';

/** What one call costs in a rate-limit window. A sliding window counts the last `window_s` seconds. */
export type Charge = Readonly<{
  name: string;
  key: string;
  limit: number;
  window_s: number;
  points: number;
  sliding?: boolean;
}>;

/** The state of a window after a charge, for the network's rate-limit headers. */
export type RateState = Readonly<{ limit: number; remaining: number; resetAt: number; window_s: number }>;

/** Whether a limit was exceeded, and the window with the least left, if there is any. */
type Verdict = Readonly<{ exceeded: boolean; tightest: RateState | undefined }>;

export type Rates = Readonly<{
  /** Charges a call, even if it exceeds a limit. */
  spend(charges: readonly Charge[]): Verdict;
  reset(): void;
}>;

type Window = { spent: readonly Readonly<{ at: number; points: number }>[]; ends: number };

/** A limit of calls per minute, read from a setting. With `key` in `more`, all callers share it. */
export const perMinute = (name: string, limit: () => number, more: Partial<Charge> = {}) => ({
  name,
  window_s: 60,
  ...more,
  get limit() {
    return limit();
  },
});

const MANY = 10_000;

/** Keeps the windows in memory only, as real servers do. */
export function openRates(clock: Clock): Rates {
  const windows = new Map<string, Window>();

  function forgetPast(now: number): void {
    for (const [key, window] of windows) if (window.ends <= now) windows.delete(key);
    // So many keys are probably made up by a caller; drop the oldest.
    for (const key of windows.keys()) {
      if (windows.size <= MANY) break;
      windows.delete(key);
    }
  }

  function charge({ name, key, limit, window_s, points, sliding }: Charge, now: number) {
    const id = `${name} ${key}`;
    const known = windows.get(id);
    const span = window_s * 1000;
    const open = known !== undefined && known.ends > now ? known : { spent: [], ends: now + span };
    const kept = sliding === true ? open.spent.filter(({ at }) => at > now - span) : open.spent;
    const used = kept.reduce((sum, one) => sum + one.points, points);
    // A fixed window only needs the sum.
    const spent = sliding === true ? [...kept, { at: now, points }] : [{ at: now, points: used }];
    windows.set(id, { spent, ends: sliding === true ? now + span : open.ends });
    const resetAt = sliding === true ? (spent[0]?.at ?? now) + span : open.ends;
    return { over: used > limit, state: { limit, remaining: Math.max(0, limit - used), resetAt, window_s } };
  }

  return Object.freeze({
    spend(charges: readonly Charge[]) {
      const now = clock.now();
      if (windows.size > MANY) forgetPast(now);
      let tightest: RateState | undefined;
      let exceeded = false;
      for (const one of charges) {
        const { over, state } = charge(one, now);
        if (tightest === undefined || state.remaining < tightest.remaining || (over && !exceeded)) tightest = state;
        exceeded ||= over;
      }
      return Object.freeze({ exceeded, tightest });
    },
    reset: () => windows.clear(),
  });
}
