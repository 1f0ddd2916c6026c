import type { TwinError } from './errors.ts';

export type FieldTable<T> = Readonly<Record<string, (thing: T) => unknown>>;

/** Picks the requested fields; `refuse` makes the error for unknown ones. */
export function showFields<T>(all: FieldTable<T>, wanted: readonly string[], refuse: (names: string) => TwinError) {
  const strange = wanted.filter((name) => !Object.hasOwn(all, name));
  if (strange.length > 0) throw refuse(strange.join(', ').slice(0, 200));
  return (thing: T): Readonly<Record<string, unknown>> =>
    Object.fromEntries(wanted.map((name) => [name, all[name]?.(thing)]));
}

/** One page of a list, by offset. */
export function pageFrom<T>(all: readonly T[], from: number, size: number) {
  const page = all.slice(from, from + size);
  return { page, cursor: from + page.length, has_more: from + page.length < all.length };
}
