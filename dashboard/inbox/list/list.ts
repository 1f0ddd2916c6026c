import { computed, signal } from '@preact/signals';
import { makeListState } from './state.ts';
import type { Part, Source } from './sources.ts';

type ListDeps = Readonly<{
  source: Source;
  /** The beginning, where it came with the page. */
  first: Part | undefined;
  /** Whether this item is open, and stays where it is. */
  isHeld(key: string): boolean;
}>;

/** The list of a view as far as it was read. */
export function makeList({ source, first, isHeld }: ListDeps) {
  const state = makeListState(first, isHeld);
  const cursor = signal(first?.next);
  const isLoading = signal(false);
  const wasRead = signal(first !== undefined);
  const problem = signal<string | undefined>(undefined);
  /** Something happened while the list was being read. */
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
    // Otherwise it was asked for before something else was done.
    if (changes === before) state.merge(part);
    else await refresh();
  }

  return {
    ...state,
    hasMore: computed(() => cursor.value !== undefined),
    isLoading: computed(() => isLoading.value),
    /** Whether it is known to have nothing. */
    isEmpty: computed(() => wasRead.value && state.items.value.length === 0),
    problem: computed(() => problem.value),
    /** Reads its beginning again after something happened. */
    refresh,

    /** Reads it again from its beginning. */
    async again(): Promise<void> {
      readingAnew ??= load(async () => {
        const part = await source();
        cursor.value = part.next;
        state.begin(part);
      }).finally(() => void (readingAnew = undefined));
      await readingAnew;
    },

    /** Reads on, after what is being read anew; whoever asks while that is under way waits for the same. */
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
