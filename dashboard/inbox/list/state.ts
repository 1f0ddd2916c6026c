import { batch, computed, signal } from '@preact/signals';
import type { Item } from './items.ts';
import type { Part } from './sources.ts';

/** Whether an item is open and must keep its place. */
type IsHeld = (key: string) => boolean;

const byKey = (items: readonly Item[]) => new Map(items.map((item) => [item.key, item]));

/** The state of a list. Items under the pointer and the open item do not move. */
export function makeListState(first: Part | undefined, isHeld: IsHeld) {
  const items = signal<readonly Item[]>(first?.items ?? []);
  const warnings = signal<readonly string[]>(first?.warnings ?? []);
  /** Items that came while the pointer was on the list. */
  const updates = signal<readonly Item[]>([]);
  /** Completed items, which stay visible until the list is read again, each with a word such as `Done`. */
  const settled = signal<ReadonlyMap<string, string>>(new Map());
  /** The times by which items are sorted. */
  const places = new Map(first?.items.map(({ key, at }) => [key, at]));
  let isPointedAt = false;

  function show(all: readonly Item[]): void {
    for (const { key, at } of all) if (!isHeld(key) || !places.has(key)) places.set(key, at);
    const place = ({ key }: Item) => Date.parse(places.get(key)!) || 0;
    items.value = all.toSorted((a, b) => place(b) - place(a));
  }

  function showUpdates(): void {
    const waiting = updates.value;
    updates.value = [];
    if (waiting.length > 0) show([...waiting, ...items.value]);
  }

  return {
    items: computed(() => items.value),
    warnings: computed(() => warnings.value),
    updates: computed(() => updates.value),
    settled: computed(() => settled.value),
    /** How many items are not completed. */
    waiting: computed(() => items.value.filter(({ key }) => !settled.value.has(key)).length),
    showUpdates,

    /** Replaces the list with its new beginning and keeps the open item. */
    begin(part: Part): void {
      const fresh = byKey(part.items);
      batch(() => {
        const open = items.value.filter(({ key }) => isHeld(key) && !fresh.has(key));
        settled.value = new Map(open.map(({ key }) => [key, settled.value.get(key) ?? 'Done']));
        warnings.value = part.warnings;
        updates.value = [];
        show([...open, ...part.items]);
      });
    },

    /** Adds the next part of the list. */
    append(part: Part): void {
      const known = byKey(items.value);
      batch(() => {
        warnings.value = [...new Set([...warnings.value, ...part.warnings])];
        show([...items.value, ...part.items.filter(({ key }) => !known.has(key))]);
      });
    },

    /** Updates the list from its current beginning. */
    merge({ items: fresh, next, warnings: failed }: Part): void {
      const now = byKey(fresh);
      const known = byKey(items.value);
      const oldest = next === undefined ? '' : (fresh.at(-1)?.at ?? '');
      const gone = items.value.filter(({ key, at }) => !now.has(key) && at > oldest && !settled.value.has(key));
      const still = [...settled.value].filter(([key]) => !now.has(key));
      const added = fresh.filter(({ key }) => !known.has(key));
      batch(() => {
        warnings.value = failed;
        settled.value = new Map([...still, ...gone.map(({ key }) => [key, 'Done'] as const)]);
        const present = items.value.map((item) => now.get(item.key) ?? item);
        if (!isPointedAt || present.length === 0) return show([...added, ...present]);
        items.value = present;
        updates.value = added;
      });
    },

    /** New items wait while the pointer is on the list. */
    point(on: boolean): void {
      isPointedAt = on;
      if (!on) showUpdates();
    },

    /** Marks an item as completed with a word, or undoes that if there is none. */
    settle(key: string, word: string | undefined): void {
      const next = new Map(settled.value);
      if (word === undefined) next.delete(key);
      else next.set(key, word);
      settled.value = next;
    },

    /** Updates an item in its place, or adds one from further down the list. */
    put(item: Item): void {
      const isKnown = items.value.some(({ key }) => key === item.key);
      if (isKnown) items.value = items.value.map((known) => (known.key === item.key ? item : known));
      else show([item, ...items.value]);
    },
  };
}
