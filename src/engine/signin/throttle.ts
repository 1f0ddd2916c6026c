import { boundedMap } from '../../kernel/limits/bounded-map.ts';
import type { Clock } from '../../kernel/clock.ts';

/** How failures are answered: the first `free` of them at once, then with pauses that double up to `longest`. */
export type ThrottlePolicy = Readonly<{ free: number; longest: number }>;

/** What is remembered of one name for at most this long, and of so many names. */
const MEMORY_MS = 3_600_000;
const NAMES = 10_000;
const FIRST_PAUSE_MS = 1000;

type Entry = { failures: number; seenAt: number; openAt: number };

/**
 * Slows guessing down without ever locking anyone out. An attempt counts as failed from its beginning, so that many
 * at once gain nothing; a refused one does not count, so that knocking keeps no door shut.
 */
export function makeThrottle(clock: Clock, { free, longest }: ThrottlePolicy) {
  // The name that was quiet for longest is forgotten first.
  const entries = boundedMap<string, Entry>(NAMES);

  function entryOf(name: string, now: number): Entry {
    const known = entries.get(name);
    const entry = known && known.seenAt + MEMORY_MS > now ? known : { failures: 0, seenAt: now, openAt: 0 };
    entries.set(name, entry);
    return entry;
  }

  return Object.freeze({
    /** Milliseconds until a name may try again. */
    pauseOf(name: string): number {
      return Math.max(0, (entries.get(name)?.openAt ?? 0) - clock.now());
    },

    /** How often a name failed lately, attempts under way included. */
    failuresOf(name: string): number {
      const entry = entries.get(name);
      return entry && entry.seenAt + MEMORY_MS > clock.now() ? entry.failures : 0;
    },

    begin(name: string): void {
      const now = clock.now();
      const entry = entryOf(name, now);
      entry.failures += 1;
      entry.seenAt = now;
      const over = entry.failures - free;
      if (over >= 0) entry.openAt = now + Math.min(longest, FIRST_PAUSE_MS * 2 ** Math.min(over, 30));
    },

    /** Takes back what `begin` counted: the attempt was right, or was never made. */
    undo(name: string): void {
      const entry = entries.get(name);
      if (entry === undefined) return;
      entry.failures -= 1;
      if (entry.failures < free) entry.openAt = 0;
      if (entry.failures <= 0) entries.delete(name);
    },

    forget: entries.delete,
  });
}

export type Throttle = ReturnType<typeof makeThrottle>;
