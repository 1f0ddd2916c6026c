import { computed, signal } from '@preact/signals';
import { ABILITIES } from '#kernel/people/abilities.ts';
import type { Call } from '../lib/call.ts';
import { addDays } from '../lib/days.ts';
import type { AbleAccount, Analytics, Input, LogEvent } from '../lib/operations.ts';
import { csvOf } from './csv.ts';

/** The metrics, in display order. */
export const METRICS = [
  { metric: 'published', title: 'Published' },
  { metric: 'likes', title: 'Likes' },
  { metric: 'comments', title: 'Comments' },
  { metric: 'shares', title: 'Shares' },
  { metric: 'saves', title: 'Saves' },
  { metric: 'views', title: 'Views' },
] as const;

export type Metric = (typeof METRICS)[number]['metric'];
type Group = NonNullable<Analytics['groups']>[number];

export type Answers = Readonly<{ days: Analytics; posts: Analytics }>;

type AnalyticsDeps = Readonly<{
  call: Call;
  input: Input<'get_analytics'>;
  first: Answers;
  later(run: () => void): void;
}>;

/** The metric that the chart shows at first: the first of these that is not zero. */
const TOLD_FIRST: readonly Metric[] = ['likes', 'views', 'published'];
/** How many posts are shown at first. */
const BEST = 10;

export function makeAnalytics({ call, input, first, later }: AnalyticsDeps) {
  const answers = signal(first);
  const metric = signal(TOLD_FIRST.find((one) => first.days.totals[one] !== 0) ?? 'likes');
  const areAllShown = signal(false);

  async function refresh(): Promise<void> {
    const [days, posts] = await Promise.all([
      call('get_analytics', { ...input, group_by: 'day' }),
      call('get_analytics', { ...input, group_by: 'post' }),
    ]);
    answers.value = { days, posts };
  }

  const days = computed(() => everyDay(answers.value.days));
  const posts = computed(() => answers.value.posts.groups ?? []);
  return {
    metric,
    whole: computed(() => answers.value.days),
    days,
    posts: computed(() => (areAllShown.value ? posts.value : posts.value.slice(0, BEST))),
    hiddenPosts: computed(() => (areAllShown.value ? 0 : Math.max(0, posts.value.length - BEST))),
    isCut: computed(() => answers.value.posts.more_groups === true),
    /** The label for the listed posts. */
    postsTitle: computed(() =>
      answers.value.posts.more_groups === true ? `the best ${posts.value.length} posts` : 'posts',
    ),
    showAllPosts: () => void (areAllShown.value = true),
    isEmpty: computed(() => {
      const { totals, previous } = answers.value.days;
      return METRICS.every((one) => totals[one.metric] === 0 && previous.totals[one.metric] === 0);
    }),
    tiles: computed(() => METRICS.map((one) => ({ ...one, ...changeOf(answers.value.days, one.metric) }))),

    daysAsCsv: () => csvOf([['Day', ...titles], ...days.value.map((row) => [row.day, ...countsOf(row)])]),
    postsAsCsv: () =>
      csvOf([
        ['Post', 'Text', 'Published at', ...titles],
        ...posts.value.map((row) => [row.post_id!, row.text ?? '', row.published_at ?? '', ...countsOf(row)]),
      ]),

    /** Reads the numbers again when a post is published or taken down. */
    heard({ category }: LogEvent): void {
      if (category === 'post') later(() => void refresh().catch(() => undefined));
    },
  };
}

const NOTHING = { published: 0, likes: 0, comments: 0, shares: 0, saves: 0, views: 0 };

/** One row for each day of the period, because the response leaves out days without gains. */
export function everyDay({ from, to, groups = [] }: Analytics): readonly (Group & Readonly<{ day: string }>)[] {
  const known = new Map(groups.map((row) => [row.day, row]));
  const days: (Group & { day: string })[] = [];
  for (let day = from; day <= to; day = addDays(day, 1)) days.push({ ...NOTHING, ...known.get(day), day });
  return days;
}

const titles = METRICS.map(({ title }) => title);
const countsOf = (row: Group): readonly number[] => METRICS.map(({ metric }) => row[metric]);

/** A total compared with the previous period, in words and not only by a colour. */
function changeOf({ totals, previous, change, change_percent }: Analytics, metric: Metric) {
  const before = previous.totals[metric];
  const by = change[metric]!;
  const percent = change_percent[metric] ?? null;
  const share = percent === null ? '' : ` (${Math.abs(percent)} %)`;
  const amount = `${Math.abs(by).toLocaleString('en')}${share}`;
  const shown = { total: totals[metric], before };
  if (by === 0) return { ...shown, trend: 'same', words: 'as before' } as const;
  const trend = by > 0 ? 'more' : 'less';
  return { ...shown, trend, words: `${amount} ${trend} than before` } as const;
}

/** How current the numbers are; `read` formats a time. */
export function freshnessOf({ freshness }: Analytics, read: (at: string) => string): string {
  const { as_of, oldest_fetch, targets, targets_without_numbers: without } = freshness;
  if (targets === 0) return 'Nothing was published in these days.';
  const some = without === 0 ? '' : ` ${without} of ${targets} have no numbers yet, or are on a platform without any.`;
  if (as_of === null) return `Nothing was measured yet: the first numbers come an hour after a post.${some}`;
  const span = as_of === oldest_fetch ? read(as_of) : `${read(oldest_fetch ?? as_of)} to ${read(as_of)}`;
  return `Measured ${span}; new posts every 3 hours, older ones less often.${some}`;
}

/** The selected platforms that report no numbers, and whether that is all of them. */
export function withoutNumbers(
  accounts: readonly AbleAccount[],
  { brand, platform, account }: Readonly<{ brand: string; platform: string; account: string }>,
) {
  const chosen = accounts.filter(
    (one) =>
      (brand === '' || one.brand_id === brand) &&
      (platform === '' || one.platform === platform) &&
      (account === '' || one.id === account),
  );
  const silent = chosen.filter(({ capabilities }) => !capabilities.includes(ABILITIES.analytics));
  return {
    platforms: [...new Set(silent.map((one) => one.platform))],
    isAll: chosen.length > 0 && silent.length === chosen.length,
  };
}

/** A sentence about platforms that report no numbers. */
export function sayWithoutNumbers(titles: readonly string[], isAll: boolean): string {
  const names = new Intl.ListFormat('en').format(titles);
  const rest = isAll
    ? ': what is published counts, likes and views are not known.'
    : '; below are those of the other accounts.';
  return `${names} ${titles.length === 1 ? 'gives' : 'give'} no numbers of posts${rest}`;
}
