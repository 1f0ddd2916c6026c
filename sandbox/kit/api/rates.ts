import type { Clock } from '#kernel/clock.ts';

/** A charge on a rate window before a call; sliding windows count recent seconds. */
export type Charge = Readonly<{
  name: string;
  key: string;
  limit: number;
  window_s: number;
  points: number;
  sliding?: boolean;
}>;

/** A window after a charge, for the network's headers. */
export type RateState = Readonly<{ limit: number; remaining: number; resetAt: number; window_s: number }>;

/** The tightest window of a call, if any. */
type Verdict = Readonly<{ exceeded: boolean; tightest: RateState | undefined }>;

export type Rates = Readonly<{
  /** Charges a call; exceeding calls count too. */
  spend(charges: readonly Charge[]): Verdict;
  reset(): void;
}>;

type Window = { spent: readonly Readonly<{ at: number; points: number }>[]; ends: number };

/** Calls per minute, by a setting; with `key` for all callers together. */
export const perMinute = (name: string, limit: () => number, more: Partial<Charge> = {}) => ({
  name,
  window_s: 60,
  ...more,
  get limit() {
    return limit();
  },
});

const MANY = 10_000;

/** Windows in memory, as on real servers. */
export function openRates(clock: Clock): Rates {
  const windows = new Map<string, Window>();

  function forgetPast(now: number): void {
    for (const [key, window] of windows) if (window.ends <= now) windows.delete(key);
    // Too many keys means somebody invents them; the oldest are dropped.
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
    // A fixed window only needs its sum.
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
