import { once, type Leave } from './slots.ts';

export type ConcurrencyLimit = Readonly<{ key: string; max: number }>;

/** Limits concurrent holders per key; if a key is full, a holder is refused at once. */
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
    /** Enters under all keys together; returns how to leave, or the first limit that was reached. */
    enter(limits: readonly ConcurrencyLimit[]): Readonly<{ leave: Leave } | { reached: ConcurrencyLimit }> {
      const reached = limits.find(({ key, max }) => (held.get(key) ?? 0) >= max);
      if (reached) return { reached };
      for (const { key } of limits) held.set(key, (held.get(key) ?? 0) + 1);
      return { leave: once(() => release(limits)) };
    },
  });
}
