import { computed, signal } from '@preact/signals';
import type { Call } from '../lib/call.ts';
import type { Answer, Input, LogEvent } from '../lib/operations.ts';
import { cursorAfter, without } from '../lib/paging.ts';
import { withLocalTimes } from '../lib/time.ts';
import { fold, wordsIn } from '../lib/words.ts';

type ActivityDeps = Readonly<{
  call: Call;
  input: Input<'list_events'>;
  first: Answer<'list_events'>;
  /** Whether the person is using the list, so that it must not move. */
  isHeld(): boolean;
  zone: string;
  titleOf(platform: string): string;
}>;

/** Where to read older entries from; undefined if there are none. */
type Older = Pick<Input<'list_events'>, 'cursor' | 'to'> | undefined;

/** How many entries the list keeps while it grows. Older ones can be read again. */
export const MOST_KEPT = 300;

const newestFirst = (a: LogEvent, b: LogEvent): number => {
  if (a.created_at !== b.created_at) return a.created_at < b.created_at ? 1 : -1;
  return a.id < b.id ? 1 : -1;
};

/** From the time of an entry, including others of the same millisecond. */
const from = ({ created_at }: LogEvent): Older => ({ to: new Date(Date.parse(created_at) + 1).toISOString() });

const afterPage = (page: Answer<'list_events'>): Older => {
  const cursor = cursorAfter(page);
  return cursor === undefined ? undefined : { cursor };
};

/** The summary with the platform's title in place of its slug. */
const withTitle = ({ platform, summary }: LogEvent, titleOf: ActivityDeps['titleOf']): string =>
  platform === null
    ? summary
    : summary.replace(new RegExp(`(?<![@.\\w-])${platform}(?![.\\w-])`), () => titleOf(platform));

export function makeActivity({ call, input, first, isHeld, zone, titleOf }: ActivityDeps) {
  const entries = signal<readonly LogEvent[]>(first.data);
  const fresh = signal<readonly LogEvent[]>([]);
  /** Whether there were more new entries than the list keeps. */
  const isFreshCut = signal(false);
  const older = signal(afterPage(first));
  const words = signal('');
  const isLoading = signal(false);
  const problem = signal<string | undefined>(undefined);

  const matches = (one: LogEvent) =>
    (input.category === undefined || input.category.includes(one.category)) &&
    (input.account_id === undefined || one.account_id === input.account_id) &&
    (input.status === undefined || one.status === input.status);

  function showNew(): void {
    if (fresh.value.length === 0) return;
    const all = isFreshCut.value ? fresh.value : [...fresh.value, ...entries.value].toSorted(newestFirst);
    const kept = all.slice(0, MOST_KEPT);
    if (isFreshCut.value || kept.length < all.length) older.value = from(kept.at(-1)!);
    entries.value = kept;
    fresh.value = [];
    isFreshCut.value = false;
  }

  /** A stream that resumes repeats entries that are already listed or lie further down. */
  function isListed(one: LogEvent): boolean {
    if ([...fresh.value, ...entries.value].some(({ id }) => id === one.id)) return true;
    const last = entries.value.at(-1);
    return older.value !== undefined && last !== undefined && newestFirst(last, one) < 0;
  }

  return {
    words,
    shown: computed(() => {
      const has = wordsIn(words.value) ?? (() => true);
      const told = entries.value.map((one) => ({ ...one, summary: withLocalTimes(withTitle(one, titleOf), zone) }));
      return told.filter(({ summary, action, error_message }) =>
        has(fold(`${summary} ${action} ${error_message ?? ''}`)),
      );
    }),
    count: computed(() => entries.value.length),
    newCount: computed(() => `${fresh.value.length}${isFreshCut.value ? '+' : ''}`),
    hasNew: computed(() => fresh.value.length > 0),
    hasMore: computed(() => older.value !== undefined),
    isLoading: computed(() => isLoading.value),
    problem: computed(() => problem.value),
    showNew,
    /** Shows the new entries if the person no longer uses the list. */
    release: () => void (fresh.value.length === 0 || isHeld() || showNew()),

    async more(): Promise<void> {
      if (isLoading.value) return;
      isLoading.value = true;
      problem.value = undefined;
      const asked = older.value;
      try {
        const page = await call('list_events', { ...input, ...asked });
        // New entries may have replaced the list during the request.
        if (older.value !== asked) return;
        entries.value = [...entries.value, ...without(page.data, entries.value)];
        older.value = afterPage(page);
      } catch (error) {
        problem.value = (error as Error).message;
      } finally {
        isLoading.value = false;
      }
    },

    heard(one: LogEvent): void {
      if (!matches(one) || isListed(one)) return;
      const all = [one, ...fresh.value].toSorted(newestFirst);
      fresh.value = all.slice(0, MOST_KEPT);
      if (all.length > MOST_KEPT) isFreshCut.value = true;
      if (!isHeld()) showNew();
    },
  };
}
