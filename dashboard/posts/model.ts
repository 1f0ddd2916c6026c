import { computed, signal } from '@preact/signals';
import { RefusedError, type Call } from '../lib/call.ts';
import type { Answer, Input, LogEvent, Post } from '../lib/operations.ts';
import { cursorAfter, without } from '../lib/paging.ts';

type PostsDeps = Readonly<{
  call: Call;
  input: Input<'list_posts'>;
  first: Answer<'list_posts'>;
  /** Debounces: only the last callback runs. */
  later(run: () => void): void;
}>;

export function makePosts({ call, input, first, later }: PostsDeps) {
  const posts = signal<readonly Post[]>(first.data);
  const cursor = signal(cursorAfter(first));
  const isLoading = signal(false);
  const problem = signal<string | undefined>(undefined);
  /** Changed posts that are not in the list. They are shown on request, so that nothing moves by itself. */
  const waiting = signal<ReadonlySet<string>>(new Set());
  const changed = new Set<string>();

  async function load(run: () => Promise<void>): Promise<void> {
    if (isLoading.value) return;
    isLoading.value = true;
    problem.value = undefined;
    try {
      await run();
    } catch (error) {
      problem.value = (error as Error).message;
    } finally {
      isLoading.value = false;
    }
  }

  const put = (post: Post) => {
    posts.value = posts.value.map((known) => (known.id === post.id ? post : known));
  };

  async function refresh(): Promise<void> {
    const ids = [...changed];
    changed.clear();
    await Promise.all(
      ids.map(async (post_id) => {
        try {
          put(await call('get_post', { post_id }));
        } catch (error) {
          if (!(error instanceof RefusedError) || error.code !== 'post.not_found') throw error;
          posts.value = posts.value.filter(({ id }) => id !== post_id);
        }
      }),
    );
  }

  return {
    posts: computed(() => posts.value),
    hasMore: computed(() => cursor.value !== undefined),
    isLoading: computed(() => isLoading.value),
    problem: computed(() => problem.value),
    hasNews: computed(() => waiting.value.size > 0),

    more: () =>
      load(async () => {
        const page = await call('list_posts', { ...input, cursor: cursor.value });
        posts.value = [...posts.value, ...without(page.data, posts.value)];
        cursor.value = cursorAfter(page);
      }),

    /** Reads the list again from its beginning. */
    again: () =>
      load(async () => {
        const page = await call('list_posts', input);
        posts.value = page.data;
        cursor.value = cursorAfter(page);
        waiting.value = new Set();
      }),

    /** Reads changed posts again if they are in the list; others are shown on request. */
    heard({ category, action, resource_id }: LogEvent): void {
      if (category !== 'post' || resource_id === null) return;
      if (!posts.value.some(({ id }) => id === resource_id)) {
        if (action !== 'deleted') waiting.value = new Set(waiting.value).add(resource_id);
        return;
      }
      changed.add(resource_id);
      later(() => void refresh().catch(() => undefined));
    },
  };
}
