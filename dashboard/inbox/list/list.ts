import { computed, signal } from '@preact/signals';
import { makeListState } from './state.ts';
import type { Part, Source } from './sources.ts';

type ListDeps = Readonly<{
  source: Source;
  /** The beginning of the list, if it came with the page. */
  first: Part | undefined;
  /** Whether an item is open and must keep its place. */
  isHeld(key: string): boolean;
}>;

/** The part of a view's list that has been read. */
export function makeList({ source, first, isHeld }: ListDeps) {
  const state = makeListState(first, isHeld);
  const cursor = signal(first?.next);
  const isLoading = signal(false);
  const wasRead = signal(first !== undefined);
  const problem = signal<string | undefined>(undefined);
  /** Whether the list changed while it was being read. */
  let isStale = false;
  let changes = 0;
  let readingOn: Promise<void> | undefined;
  let readingAnew: Promise<void> | undefined;

  async function load(read: () => Promise<void>): Promise<void> {
    if (isLoading.value) return;
    isLoading.value = true;
    problem.value = undefined;
    try {
      await read();
      wasRead.value = true;
    } catch (error) {
      problem.value = (error as Error).message;
    } finally {
      isLoading.value = false;
    }
    if (isStale) void refresh().catch(() => undefined);
  }

  async function refresh(): Promise<void> {
    isStale = isLoading.value;
    if (isStale) return;
    const before = changes;
    const part = await source();
    // If something else was done during the request, its result is out of date and is read again.
    if (changes === before) state.merge(part);
    else await refresh();
  }

  return {
    ...state,
    hasMore: computed(() => cursor.value !== undefined),
    isLoading: computed(() => isLoading.value),
    /** Whether the list has been read and is empty. */
    isEmpty: computed(() => wasRead.value && state.items.value.length === 0),
    problem: computed(() => problem.value),
    /** Reads the beginning again after a change. */
    refresh,

    /** Reads the beginning again and replaces the whole list with it. */
    async again(): Promise<void> {
      readingAnew ??= load(async () => {
        const part = await source();
        cursor.value = part.next;
        state.begin(part);
      }).finally(() => void (readingAnew = undefined));
      await readingAnew;
    },

    /** Reads the next part, after a running read of the beginning. Calls during the request share its result. */
    async more(): Promise<void> {
      if (readingAnew !== undefined) await readingAnew;
      if (cursor.value === undefined) return;
      readingOn ??= load(async () => {
        const part = await source(cursor.value);
        cursor.value = part.next;
        state.append(part);
      }).finally(() => void (readingOn = undefined));
      await readingOn;
    },

    settle(key: string, word: string | undefined): void {
      changes += 1;
      state.settle(key, word);
    },
  };
}

export type List = ReturnType<typeof makeList>;
