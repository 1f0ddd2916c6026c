import { computed, signal, type ReadonlySignal } from '@preact/signals';
import { isGone, type Call } from '../lib/call.ts';
import type { LogEvent, Post } from '../lib/operations.ts';
import { wallTimeOf, type WallTime } from '../lib/time.ts';
import { makeReading } from './reading.ts';

/** A post on a day. */
export type Entry = Readonly<{ post: Post; wall: WallTime }>;
/** The filters of the calendar; an empty one shows all. */
export type Filters = Readonly<{ account: string; brand: string; status: string }>;
const NO_FILTERS: Filters = { account: '', brand: '', status: '' };
/** Up to this many changed posts are read one by one, instead of all that are shown. */
const FEW = 20;

type PostsDeps = Readonly<{ call: Call; zone: string; later(run: () => void): void }>;

/** Whether a post is for the account and the brand that are filtered by. */
const isFor = ({ targets }: Post, { account, brand }: Filters) =>
  (account === '' || targets.some(({ account_id }) => account_id === account)) &&
  (brand === '' || targets.some((target) => target.brand_id === brand));

/** The posts that the calendar has read, month by month. */
export function makeCalendarPosts({ call, zone, later }: PostsDeps) {
  const posts = signal<ReadonlyMap<string, Post>>(new Map());
  const filters = signal(NO_FILTERS);
  const stale = new Set<string>();

  function isOutdated({ id, updated_at }: Post): boolean {
    const known = posts.value.get(id);
    return known !== undefined && known.updated_at > updated_at;
  }

  /** Shows posts, except where a newer version is already known. */
  function put(fresh: readonly Post[]): void {
    const current = fresh.filter((post) => !isOutdated(post));
    posts.value = new Map([...posts.value, ...current.map((post) => [post.id, post] as const)]);
  }

  const { again, loadDrafts, ...reading } = makeReading({
    call,
    zone,
    put,
    narrowed: () => ({ account_id: filters.value.account || undefined, brand_id: filters.value.brand || undefined }),
  });

  /** Reads posts one by one and returns the ids of those that exist. */
  async function readEach(ids: readonly string[]): Promise<readonly string[]> {
    const found = await Promise.all(
      ids.map((post_id) =>
        call('get_post', { post_id }).catch((error: unknown) => {
          if (!isGone(error)) throw error;
        }),
      ),
    );
    const present = found.filter((post) => post !== undefined);
    put(present);
    return present.map(({ id }) => id);
  }

  /** Reads changed posts again, all shown ones if many changed, and drops those that no longer exist. */
  async function refresh(): Promise<void> {
    const gone = new Set(stale);
    stale.clear();
    const ids = gone.size > FEW ? await again() : await readEach([...gone]).catch(again);
    if (ids === undefined) return;
    for (const id of ids) gone.delete(id);
    posts.value = new Map([...posts.value].filter(([id]) => !gone.has(id)));
  }

  /** Reads a post again that has changed or is gone. */
  function changed(id: string): void {
    stale.add(id);
    later(() => void refresh());
  }

  const shown = computed(() => [...posts.value.values()].filter((post) => isFor(post, filters.value)));
  const passes = ({ status }: Post) => filters.value.status === '' || filters.value.status === status;
  const days: ReadonlySignal<ReadonlyMap<string, readonly Entry[]>> = computed(() => {
    const entries = shown.value.filter(passes).flatMap((post) => {
      const at = post.published_at ?? post.scheduled_at;
      return at === null ? [] : [{ post, wall: wallTimeOf(at, zone) }];
    });
    const ordered = entries.toSorted(
      (one, other) => one.wall.time.localeCompare(other.wall.time) || one.post.id.localeCompare(other.post.id),
    );
    return Map.groupBy(ordered, ({ wall }) => wall.day);
  });

  return {
    posts: computed(() => posts.value),
    days,
    drafts: computed(() =>
      shown.value.filter(({ status, scheduled_at }) => status === 'draft' && scheduled_at === null),
    ),
    entriesOf: (day: string): readonly Entry[] => days.value.get(day) ?? [],
    filters: computed(() => filters.value),
    isFiltered: computed(() => Object.values(filters.value).some((value) => value !== '')),
    filter(part: Partial<Filters>): void {
      filters.value = { ...filters.value, ...part };
      loadDrafts();
    },
    ...reading,
    put,

    changed,
    /** Reads the posts again after a change of any post. */
    heard({ category, resource_id }: LogEvent): void {
      if (category === 'post' && resource_id !== null) changed(resource_id);
    },
  };
}

export type CalendarPosts = ReturnType<typeof makeCalendarPosts>;
