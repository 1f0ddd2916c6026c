import { computed, signal } from '@preact/signals';
import { mapAtOnce } from '#kernel/limits/at-once.ts';
import { isGone, type Call } from '../lib/call.ts';
import type { Owner } from '../lib/frame/owners.tsx';
import type { Answer, Input, LogEvent, Post } from '../lib/operations.ts';
import { cursorAfter, without } from '../lib/paging.ts';

type PostsDeps = Readonly<{
  call: Call;
  input: Input<'list_posts'>;
  first: Answer<'list_posts'>;
  /** Debounces: only the last callback runs. */
  later(run: () => void): void;
}>;

/** How many changed posts are read at the same time. Browsers open six connections, which actions need too. */
const AT_ONCE = 4;

export function makePosts({ call, first, later, ...deps }: PostsDeps) {
  const input = signal(deps.input);
  const posts = signal<readonly Post[]>(first.data);
  const cursor = signal(cursorAfter(first));
  const isLoading = signal(false);
  const problem = signal<string | undefined>(undefined);
  /** Changed posts that are not in the list. They are shown on request, so that nothing moves by itself. */
  const waiting = signal<ReadonlySet<string>>(new Set());
  const changed = new Set<string>();
  /** Only the result of the last reading is shown. */
  let readings = 0;

  /** Reads the page after a cursor, or the list from its beginning. */
  async function load(after?: string): Promise<void> {
    const reading = (readings += 1);
    isLoading.value = true;
    problem.value = undefined;
    try {
      const page = await call('list_posts', { ...input.value, cursor: after });
      if (reading !== readings) return;
      posts.value = after === undefined ? page.data : [...posts.value, ...without(page.data, posts.value)];
      cursor.value = cursorAfter(page);
      if (after === undefined) waiting.value = new Set();
    } catch (error) {
      if (reading === readings) problem.value = (error as Error).message;
    } finally {
      if (reading === readings) isLoading.value = false;
    }
  }

  const put = (post: Post) => {
    posts.value = posts.value.map((known) => (known.id === post.id ? post : known));
  };

  function drop(ids: readonly string[]): void {
    for (const id of ids) changed.delete(id);
    posts.value = posts.value.filter(({ id }) => !ids.includes(id));
  }

  async function refresh(): Promise<void> {
    const ids = [...changed];
    changed.clear();
    await mapAtOnce(ids, AT_ONCE, async (post_id) => {
      try {
        put(await call('get_post', { post_id }));
      } catch (error) {
        if (!isGone(error)) throw error;
        drop([post_id]);
      }
    });
  }

  /** Reads posts of the list again. */
  function reread(ids: readonly string[]): void {
    for (const id of ids) changed.add(id);
    later(() => void refresh().catch(() => undefined));
  }

  return {
    posts: computed(() => posts.value),
    hasMore: computed(() => cursor.value !== undefined),
    isLoading: computed(() => isLoading.value),
    problem: computed(() => problem.value),
    hasNews: computed(() => waiting.value.size > 0),
    owner: computed((): Owner => {
      const { brand_id: brand = '', account_id: account = '' } = input.value;
      return { brand, account };
    }),

    async more(): Promise<void> {
      if (!isLoading.value) await load(cursor.value);
    },

    /** Reads the list again from its beginning. */
    again: () => load(),

    /** Reads the posts of another brand or account. */
    async filter({ brand, account }: Owner): Promise<void> {
      input.value = { ...input.value, brand_id: brand || undefined, account_id: account || undefined };
      await load();
      if (problem.value === undefined) return;
      posts.value = [];
      cursor.value = undefined;
    },

    reread,
    /** Takes deleted posts out of the list. */
    drop,

    /** Reads changed posts again if they are in the list; others are shown on request. */
    heard({ category, action, resource_id }: LogEvent): void {
      if (category !== 'post' || resource_id === null) return;
      if (action === 'deleted') drop([resource_id]);
      else if (posts.value.some(({ id }) => id === resource_id)) reread([resource_id]);
      else waiting.value = new Set(waiting.value).add(resource_id);
    },
  };
}

export type Posts = ReturnType<typeof makePosts>;
