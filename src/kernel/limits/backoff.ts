import { boundedMap } from './bounded-map.ts';
import type { Clock } from '../clock.ts';

/** The first `free` failures cause no pause; then the pause doubles up to `longest` milliseconds. */
export type BackoffPolicy = Readonly<{ free: number; longest: number }>;

const MEMORY_MS = 3_600_000;
const MOST_KEYS = 10_000;
const FIRST_PAUSE_MS = 1000;

type Entry = { failures: number; seenAt: number; openAt: number };

/** Slows repeated failures per key. Each attempt counts as failed when it begins, so that parallel ones count too. */
export function makeBackoff(clock: Clock, { free, longest }: BackoffPolicy) {
  const entries = boundedMap<string, Entry>(MOST_KEYS);

  function entryOf(key: string, now: number): Entry {
    const known = entries.get(key);
    const entry = known && known.seenAt + MEMORY_MS > now ? known : { failures: 0, seenAt: now, openAt: 0 };
    entries.set(key, entry);
    return entry;
  }

  return Object.freeze({
    pauseOf(key: string): number {
      return Math.max(0, (entries.get(key)?.openAt ?? 0) - clock.now());
    },

    failuresOf(key: string): number {
      const entry = entries.get(key);
      return entry && entry.seenAt + MEMORY_MS > clock.now() ? entry.failures : 0;
    },

    begin(key: string): void {
      const now = clock.now();
      const entry = entryOf(key, now);
      entry.failures += 1;
      entry.seenAt = now;
      const over = entry.failures - free;
      if (over >= 0) entry.openAt = now + Math.min(longest, FIRST_PAUSE_MS * 2 ** Math.min(over, 30));
    },

    /** Takes back an attempt that succeeded or was not made. */
    undo(key: string): void {
      const entry = entries.get(key);
      if (entry === undefined) return;
      entry.failures -= 1;
      if (entry.failures < free) entry.openAt = 0;
      if (entry.failures <= 0) entries.delete(key);
    },

    forget: entries.delete,
  });
}

export type Backoff = ReturnType<typeof makeBackoff>;
