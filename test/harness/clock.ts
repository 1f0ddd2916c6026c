import type { Clock } from '#kernel/clock.ts';

export type FakeClock = Clock & Readonly<{ move(ms: number): void; timers(): number }>;

/** A clock that stands still until it is moved; timers fire in order of their time as it passes them. */
export function fakeClock(start = Date.UTC(2026, 0, 15, 9)): FakeClock {
  let time = start;
  const timers = new Set<{ at: number; fn: () => void }>();
  return Object.freeze({
    now: () => time,
    after(ms: number, fn: () => void) {
      const timer = { at: time + Math.max(0, ms), fn };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    move(ms: number) {
      const until = time + ms;
      for (;;) {
        const next = [...timers].filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at)[0];
        if (!next) break;
        timers.delete(next);
        time = Math.max(time, next.at);
        next.fn();
      }
      time = until;
    },
    timers: () => timers.size,
  });
}
