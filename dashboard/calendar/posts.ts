import { computed, signal, type ReadonlySignal } from '@preact/signals';
import { RefusedError, type Call } from '../lib/call.ts';
import { addDays, addMonths } from '../lib/days.ts';
import type { LogEvent, Post } from '../lib/operations.ts';
import { instantOf, wallTimeOf, type WallTime } from '../lib/time.ts';

/** A post on a day. */
export type Entry = Readonly<{ post: Post; wall: WallTime }>;
/** What is shown; empty: all. */
export type Filters = Readonly<{ account: string; brand: string; status: string }>;
export const NO_FILTERS: Filters = { account: '', brand: '', status: '' };

type PostsDeps = Readonly<{ call: Call; zone: string; later(run: () => void): void }>;

const AT_ONCE = 100;

const passes = ({ status, targets }: Post, { account, brand, status: wanted }: Filters) =>
  (wanted === '' || status === wanted) &&
  (account === '' || targets.some(({ account_id }) => account_id === account)) &&
  (brand === '' || targets.some((target) => target['brand_id'] === brand));

/** The posts that the calendar knows, month by month. */
export function makeCalendarPosts({ call, zone, later }: PostsDeps) {
  const posts = signal<ReadonlyMap<string, Post>>(new Map());
  const filters = signal(NO_FILTERS);
  const problem = signal<string | undefined>(undefined);
  const loading = signal(0);
  const loaded = new Map<string, Promise<void>>();
  const changed = new Set<string>();

  const put = (fresh: readonly Post[]) => {
    posts.value = new Map([...posts.value, ...fresh.map((post) => [post.id, post] as const)]);
  };
  const drop = (id: string) => {
    posts.value = new Map([...posts.value].filter(([known]) => known !== id));
  };

  async function read(input: Parameters<typeof call<'list_posts'>>[1]): Promise<void> {
    for (let cursor: string | undefined; ;) {
      const page = await call('list_posts', { ...input, limit: AT_ONCE, cursor });
      put(page.data);
      if (!page.pagination.has_more) return;
      cursor = page.next_cursor;
    }
  }

  /** Reads what is asked for, once; what failed can be asked for again. */
  async function once(name: string, input: Parameters<typeof read>[0]): Promise<void> {
    if (loaded.has(name)) return loaded.get(name);
    loading.value += 1;
    const reading = read(input)
      .catch((error: unknown) => {
        loaded.delete(name);
        problem.value = (error as Error).message;
      })
      .finally(() => void (loading.value -= 1));
    loaded.set(name, reading);
    return reading;
  }

  const shown = computed(() => [...posts.value.values()].filter((post) => passes(post, filters.value)));
  const days: ReadonlySignal<ReadonlyMap<string, readonly Entry[]>> = computed(() => {
    const entries = shown.value.flatMap((post) => {
      const at = post.published_at ?? post.scheduled_at;
      return at === null ? [] : [{ post, wall: wallTimeOf(at, zone) }];
    });
    const ordered = entries.toSorted(
      (one, other) => one.wall.time.localeCompare(other.wall.time) || one.post.id.localeCompare(other.post.id),
    );
    return Map.groupBy(ordered, ({ wall }) => wall.day);
  });

  async function refresh(): Promise<void> {
    const ids = [...changed];
    changed.clear();
    await Promise.all(
      ids.map(async (post_id) => {
        try {
          put([await call('get_post', { post_id })]);
        } catch (error) {
          if (error instanceof RefusedError && error.code === 'post.not_found') drop(post_id);
        }
      }),
    );
  }

  return {
    posts: computed(() => posts.value),
    days,
    drafts: computed(() =>
      shown.value.filter(({ status, scheduled_at }) => status === 'draft' && scheduled_at === null),
    ),
    entriesOf: (day: string): readonly Entry[] => days.value.get(day) ?? [],
    filters: computed(() => filters.value),
    filter: (part: Partial<Filters>) => void (filters.value = { ...filters.value, ...part }),
    isLoading: computed(() => loading.value > 0),
    problem: computed(() => problem.value),
    put,

    /** Reads a month with the days of its neighbours that stand beside it, and the drafts. */
    async load(month: string): Promise<void> {
      problem.value = undefined;
      const at = (day: string) => instantOf({ day, time: '00:00' }, zone);
      const from = at(addDays(`${month}-01`, -7));
      const to = at(addDays(`${addMonths(month, 1)}-01`, 7));
      await Promise.all([once(month, { from, to }), once('drafts', { status: ['draft'], sort: 'created_desc' })]);
    },

    /** Hears of a change of any post. */
    heard({ category, resource_id }: LogEvent): void {
      if (category !== 'post' || resource_id === null) return;
      changed.add(resource_id);
      later(() => void refresh());
    },
  };
}

export type CalendarPosts = ReturnType<typeof makeCalendarPosts>;
