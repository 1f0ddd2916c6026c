import { computed, signal } from '@preact/signals';
import type { Call } from '../lib/call.ts';
import type { Answer, Input, LogEvent } from '../lib/operations.ts';
import { cursorAfter } from '../lib/paging.ts';

type ActivityDeps = Readonly<{
  call: Call;
  input: Input<'list_events'>;
  first: Answer<'list_events'>;
  /** Whether the cursor is on the list, which then must not move. */
  isHeld(): boolean;
}>;

/** The events log, newest first, as it grows. */
export function makeActivity({ call, input, first, isHeld }: ActivityDeps) {
  const entries = signal<readonly LogEvent[]>(first.data);
  const fresh = signal<readonly LogEvent[]>([]);
  const cursor = signal(cursorAfter(first));
  const words = signal('');
  const isLoading = signal(false);
  const problem = signal<string | undefined>(undefined);

  const matches = (one: LogEvent) =>
    (input.category === undefined || input.category.includes(one.category)) &&
    (input.account_id === undefined || one.account_id === input.account_id) &&
    (input.status === undefined || one.status === input.status);

  function showNew(): void {
    if (fresh.value.length === 0) return;
    entries.value = [...fresh.value, ...entries.value];
    fresh.value = [];
  }

  return {
    words,
    shown: computed(() => {
      const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
      if (wanted.length === 0) return entries.value;
      return entries.value.filter((one) => {
        const text = `${one.summary} ${one.action} ${one.error_message ?? ''}`.toLowerCase();
        return wanted.every((word) => text.includes(word));
      });
    }),
    count: computed(() => entries.value.length),
    newCount: computed(() => fresh.value.length),
    hasMore: computed(() => cursor.value !== undefined),
    isLoading: computed(() => isLoading.value),
    problem: computed(() => problem.value),
    showNew,
    /** The cursor left the list. */
    release: () => void (isHeld() || showNew()),

    async more(): Promise<void> {
      if (isLoading.value) return;
      isLoading.value = true;
      problem.value = undefined;
      try {
        const page = await call('list_events', { ...input, cursor: cursor.value });
        const known = new Set(entries.value.map(({ id }) => id));
        entries.value = [...entries.value, ...page.data.filter(({ id }) => !known.has(id))];
        cursor.value = cursorAfter(page);
      } catch (error) {
        problem.value = (error as Error).message;
      } finally {
        isLoading.value = false;
      }
    },

    heard(one: LogEvent): void {
      const isKnown = [...fresh.value, ...entries.value].some(({ id }) => id === one.id);
      if (isKnown || !matches(one)) return;
      fresh.value = [one, ...fresh.value];
      if (!isHeld()) showNew();
    },
  };
}
