import type { Clock } from '../../kernel/clock.ts';
import type { Charge } from '../bluesky/xrpc/xrpc.ts';

export type Verdict = Readonly<{ exceeded: boolean; headers: Readonly<Record<string, string>> }>;

export type Limits = Readonly<{
  /** Spends the points of a call; the headers describe the window with the least left. */
  spend(charges: readonly Charge[]): Verdict;
  reset(): void;
}>;

/** The header set of the protocol; it has no Retry-After. */
export const limitHeaders = (limit: number, remaining: number, resetMs: number, windowS: number) => ({
  'RateLimit-Limit': String(limit),
  'RateLimit-Remaining': String(remaining),
  'RateLimit-Reset': String(Math.ceil(resetMs / 1000)),
  'RateLimit-Policy': `${limit};w=${windowS}`,
});

const MANY = 10_000;

/** Fixed windows in memory, as real servers keep them outside their store. */
export function openLimits(clock: Clock): Limits {
  const windows = new Map<string, { used: number; ends: number }>();

  function forgetPast(now: number): void {
    for (const [key, window] of windows) if (window.ends <= now) windows.delete(key);
    // Still too many means somebody invents keys; the oldest go first.
    for (const key of windows.keys()) {
      if (windows.size <= MANY) break;
      windows.delete(key);
    }
  }

  return Object.freeze({
    spend(charges: readonly Charge[]) {
      const now = clock.now();
      if (windows.size > MANY) forgetPast(now);
      let tightest: { remaining: number; headers: Readonly<Record<string, string>> } | undefined;
      let exceeded = false;
      for (const { name, key, limit, window_s, points } of charges) {
        const id = `${name} ${key}`;
        const known = windows.get(id);
        const window = known !== undefined && known.ends > now ? known : { used: 0, ends: now + window_s * 1000 };
        window.used += points;
        windows.set(id, window);
        const remaining = Math.max(0, limit - window.used);
        const over = window.used > limit;
        if (tightest === undefined || remaining < tightest.remaining || (over && !exceeded))
          tightest = { remaining, headers: limitHeaders(limit, remaining, window.ends, window_s) };
        exceeded ||= over;
      }
      return Object.freeze({ exceeded, headers: tightest?.headers ?? {} });
    },
    reset: () => windows.clear(),
  });
}
