import { computed, signal } from '@preact/signals';
import type { Call } from '../lib/call.ts';
import { addDays } from '../lib/days.ts';
import { addMonths } from './days.ts';
import type { Input, Post } from '../lib/operations.ts';
import { cursorAfter } from '../lib/paging.ts';
import { instantOf } from '../lib/time.ts';

type ReadingDeps = Readonly<{
  call: Call;
  zone: string;
  /** The account and brand that drafts are limited to. */
  narrowed(): Pick<Input<'list_posts'>, 'account_id' | 'brand_id'>;
  put(posts: readonly Post[]): void;
}>;
type Ids = readonly string[];

const PAGE_SIZE = 100;
const DRAFTS = 'drafts';
const DRAFTS_SHOWN = 50;

/** Reads the posts of each month once, and the newest drafts. */
export function makeReading({ call, zone, narrowed, put }: ReadingDeps) {
  const problem = signal<string | undefined>(undefined);
  const loading = signal(0);
  const hasMoreDrafts = signal(false);
  const lists = new Map<string, Promise<Ids | undefined>>();
  let shown = '';

  async function read(input: Input<'list_posts'>): Promise<Ids> {
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await call('list_posts', { ...input, limit: PAGE_SIZE, cursor });
      put(page.data);
      ids.push(...page.data.map(({ id }) => id));
      cursor = cursorAfter(page);
    } while (cursor !== undefined);
    return ids;
  }

  async function readDrafts(): Promise<Ids> {
    const drafts = { status: ['draft' as const], sort: 'created_desc' as const, limit: DRAFTS_SHOWN };
    const page = await call('list_posts', { ...drafts, ...narrowed() });
    put(page.data);
    hasMoreDrafts.value = page.pagination.has_more;
    return page.data.map(({ id }) => id);
  }

  /** Reads a list once and returns its ids. After a failure it returns undefined and can be tried again. */
  function once(name: string, readList: () => Promise<Ids>): Promise<Ids | undefined> {
    const known = lists.get(name);
    if (known !== undefined) return known;
    loading.value += 1;
    const reading = readList()
      .catch((error: unknown) => {
        lists.delete(name);
        problem.value = (error as Error).message;
        return undefined;
      })
      .finally(() => void (loading.value -= 1));
    lists.set(name, reading);
    return reading;
  }

  /** Reads a month, the days of other months that its grid shows, and the drafts. */
  async function load(month: string): Promise<Ids | undefined> {
    shown = month;
    problem.value = undefined;
    const at = (day: string) => instantOf({ day, time: '00:00' }, zone);
    const from = at(addDays(`${month}-01`, -7));
    const to = at(addDays(`${addMonths(month, 1)}-01`, 7));
    const [posts, drafts] = await Promise.all([once(month, () => read({ from, to })), once(DRAFTS, readDrafts)]);
    return posts && drafts && [...posts, ...drafts];
  }

  return {
    isLoading: computed(() => loading.value > 0),
    problem: computed(() => problem.value),
    hasMoreDrafts: computed(() => hasMoreDrafts.value),
    load,
    /** Reads the drafts again, for another account or brand. */
    loadDrafts(): void {
      lists.delete(DRAFTS);
      void load(shown);
    },
    /** Reads the shown month again, and others when they are next shown. Returns the ids, or undefined if it failed. */
    again(): Promise<Ids | undefined> {
      lists.clear();
      return load(shown);
    },
  };
}
