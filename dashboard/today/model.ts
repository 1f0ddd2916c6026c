import { computed, signal } from '@preact/signals';
import type { Call } from '../lib/call.ts';
import type { Account, Answer, Input, LogEvent, Post, Unanswered } from '../lib/operations.ts';
import { FAILED } from '../lib/posts/states.ts';

const DAY_MS = 86_400_000;

/** The same request that the server makes for the page. */
const failures: Input<'list_posts'> = { status: [...FAILED], sort: 'scheduled_desc' };
const nextDay = (now: number): Input<'list_posts'> => ({
  status: ['scheduled', 'publishing'],
  to: new Date(now + DAY_MS).toISOString(),
  sort: 'scheduled_asc',
});

/** What the page gets of an account, to say which to connect again. */
export type TodayAccount = Pick<Account, 'id' | 'name' | 'platform' | 'status' | 'reconnect_reason'>;

/** The results that come with the page. */
export type TodayAnswers = Readonly<{
  failed: Answer<'list_posts'>;
  next: Answer<'list_posts'>;
  unanswered: Answer<'list_unanswered'>;
  accounts: Readonly<{ data: readonly TodayAccount[] }>;
}>;

type TodayDeps = Readonly<{
  call: Call;
  first: TodayAnswers;
  /** Whether anybody has written a post yet. */
  hasPost: boolean;
  clock(): number;
  later(run: () => void): void;
}>;

/** The part of a list that has been read. */
type Part<T> = Readonly<{ items: readonly T[]; hasMore: boolean }>;
const partOf = <T>(list: Readonly<{ data: readonly T[]; pagination: { has_more: boolean } }>): Part<T> => ({
  items: list.data,
  hasMore: list.pagination.has_more,
});

export function makeToday({ call, first, clock, later, ...given }: TodayDeps) {
  const failed = signal<Part<Post>>(partOf(first.failed));
  const next = signal<Part<Post>>(partOf(first.next));
  const unanswered = signal<Part<Unanswered>>(partOf(first.unanswered));
  const accounts = signal<readonly TodayAccount[]>(first.accounts.data);
  const hasPost = signal(given.hasPost);
  const stale = new Set<LogEvent['category']>();

  async function readPosts(): Promise<void> {
    const [bad, coming] = await Promise.all([call('list_posts', failures), call('list_posts', nextDay(clock()))]);
    failed.value = partOf(bad);
    next.value = partOf(coming);
  }
  const READS: ReadonlyMap<LogEvent['category'], () => Promise<void>> = new Map([
    ['post', readPosts],
    ['inbox', async () => void (unanswered.value = partOf(await call('list_unanswered', {})))],
    ['account', async () => void (accounts.value = (await call('list_accounts', {})).data)],
  ]);

  async function refresh(): Promise<void> {
    const categories = [...stale];
    stale.clear();
    await Promise.all(categories.map((category) => READS.get(category)!()));
  }

  const lost = computed(() => accounts.value.filter(({ status }) => status !== 'active'));
  return {
    failed: computed(() => failed.value),
    next: computed(() => next.value),
    unanswered: computed(() => unanswered.value),
    accounts: computed(() => accounts.value),
    hasPost: computed(() => hasPost.value),
    lost,
    /** How many things need attention. */
    waiting: computed(() =>
      countOf({
        items: [...failed.value.items, ...lost.value, ...unanswered.value.items],
        hasMore: failed.value.hasMore || unanswered.value.hasMore,
      }),
    ),

    /** Reads again what a log entry affects. */
    heard({ category }: LogEvent): void {
      if (!READS.has(category)) return;
      if (category === 'post') hasPost.value = true;
      stale.add(category);
      later(() => void refresh().catch(() => undefined));
    },
  };
}

/** The count, with a plus if the list goes on. */
export const countOf = ({ items, hasMore }: Part<unknown>): string => `${items.length}${hasMore ? '+' : ''}`;
