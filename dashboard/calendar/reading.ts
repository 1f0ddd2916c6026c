import { computed, signal } from '@preact/signals';
import type { Call } from '../lib/call.ts';
import { addDays, addMonths } from '../lib/days.ts';
import type { Input, Post } from '../lib/operations.ts';
import { cursorAfter } from '../lib/paging.ts';
import { instantOf } from '../lib/time.ts';

type ReadingDeps = Readonly<{ call: Call; zone: string; put(posts: readonly Post[]): void }>;
type Ids = readonly string[];

const PAGE_SIZE = 100;

/** Reads the posts of each month once. */
export function makeReading({ call, zone, put }: ReadingDeps) {
  const problem = signal<string | undefined>(undefined);
  const loading = signal(0);
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

  /** Reads a list once and returns its ids. After a failure it returns undefined and can be tried again. */
  function once(name: string, input: Input<'list_posts'>): Promise<Ids | undefined> {
    const known = lists.get(name);
    if (known !== undefined) return known;
    loading.value += 1;
    const reading = read(input)
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
    const [posts, drafts] = await Promise.all([
      once(month, { from, to }),
      once('drafts', { status: ['draft'], sort: 'created_desc' }),
    ]);
    return posts && drafts && [...posts, ...drafts];
  }

  return {
    isLoading: computed(() => loading.value > 0),
    problem: computed(() => problem.value),
    load,
    /** Reads the shown month again, and others when they are next shown. Returns the ids, or undefined if it failed. */
    again(): Promise<Ids | undefined> {
      lists.clear();
      return load(shown);
    },
  };
}
