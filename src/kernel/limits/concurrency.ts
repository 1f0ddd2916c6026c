import { once, type Leave } from './slots.ts';

export type ConcurrencyLimit = Readonly<{ key: string; max: number }>;

/** Counts concurrent holders by key; a holder under a full key is refused at once. */
export function makeConcurrency() {
  const held = new Map<string, number>();

  function release(limits: readonly ConcurrencyLimit[]): void {
    for (const { key } of limits) {
      const left = held.get(key)! - 1;
      if (left > 0) held.set(key, left);
      else held.delete(key);
    }
  }

  return Object.freeze({
    /** Enters under every key at once; returns how to leave, or the first limit that is reached. */
    enter(limits: readonly ConcurrencyLimit[]): Readonly<{ leave: Leave } | { reached: ConcurrencyLimit }> {
      const reached = limits.find(({ key, max }) => (held.get(key) ?? 0) >= max);
      if (reached) return { reached };
      for (const { key } of limits) held.set(key, (held.get(key) ?? 0) + 1);
      return { leave: once(() => release(limits)) };
    },
  });
}
