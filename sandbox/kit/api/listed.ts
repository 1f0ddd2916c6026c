/** Things of which a call says what it wants to see. */
import type { TwinError } from './errors.ts';

/** How each field of a thing is read. */
export type FieldTable<T> = Readonly<Record<string, (thing: T) => unknown>>;

/** Shows the wanted fields of things; `refuse` is the network's refusal of those that are not there. */
export function showFields<T>(all: FieldTable<T>, wanted: readonly string[], refuse: (names: string) => TwinError) {
  const strange = wanted.filter((name) => !Object.hasOwn(all, name));
  if (strange.length > 0) throw refuse(strange.join(', ').slice(0, 200));
  return (thing: T): Readonly<Record<string, unknown>> =>
    Object.fromEntries(wanted.map((name) => [name, all[name]?.(thing)]));
}

/** A page of a list, by how many came before it. */
export function pageFrom<T>(all: readonly T[], from: number, size: number) {
  const page = all.slice(from, from + size);
  return { page, cursor: from + page.length, has_more: from + page.length < all.length };
}
