import { batch, computed, signal } from '@preact/signals';
import type { Item } from './items.ts';
import type { Part } from './sources.ts';

/** Whether this item is open, and stays where it is. */
type IsHeld = (key: string) => boolean;

const byKey = (items: readonly Item[]) => new Map(items.map((item) => [item.key, item]));

/** What a list shows. Nothing moves under the pointer, nor what is open. */
export function makeListState(first: Part | undefined, isHeld: IsHeld) {
  const items = signal<readonly Item[]>(first?.items ?? []);
  const warnings = signal<readonly string[]>(first?.warnings ?? []);
  /** What came while the pointer was on the list. */
  const updates = signal<readonly Item[]>([]);
  /** What is done and stays in sight until the list is read again, with a word for it. */
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
    /** How many are not done. */
    waiting: computed(() => items.value.filter(({ key }) => !settled.value.has(key)).length),
    showUpdates,

    /** Begins the list anew, with what is open. */
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

    /** Adds what comes after its end. */
    append(part: Part): void {
      const known = byKey(items.value);
      batch(() => {
        warnings.value = [...new Set([...warnings.value, ...part.warnings])];
        show([...items.value, ...part.items.filter(({ key }) => !known.has(key))]);
      });
    },

    /** Takes over the beginning of the list as it is now. */
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

    /** While the pointer is on the list, what is new waits. */
    point(on: boolean): void {
      isPointedAt = on;
      if (!on) showUpdates();
    },

    /** Marks an item as done, in a word, or takes that back. */
    settle(key: string, word: string | undefined): void {
      const next = new Map(settled.value);
      if (word === undefined) next.delete(key);
      else next.set(key, word);
      settled.value = next;
    },

    /** Changes an item where it stands, or adds one that the list may not have reached. */
    put(item: Item): void {
      const isKnown = items.value.some(({ key }) => key === item.key);
      if (isKnown) items.value = items.value.map((known) => (known.key === item.key ? item : known));
      else show([item, ...items.value]);
    },
  };
}
