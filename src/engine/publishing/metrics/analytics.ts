import { findAccounts } from '#db/access/accounts.ts';
import {
  COUNTS,
  freshnessOf,
  sumGains,
  sumGainsBy,
  type Days,
  type Grouping,
  type MetricsFilter,
  type Period,
} from '#db/posts/daily-metrics.ts';
import { findPosts } from '#db/posts/posts.ts';
import type { Store } from '#db/store/store.ts';
import type { Authority, Workspace } from '#kernel/authority.ts';
import { isoTime, type Clock } from '#kernel/clock.ts';
import { fail, noSuch } from '#kernel/errors.ts';
import { daysAfter, daysBetween, localDay, startOfDay } from '#kernel/text/local-time.ts';
import { refuseUnknown } from '../read/post-reader.ts';

export type GroupBy = 'day' | 'platform' | 'account' | 'post';

/** Without `from` and `to`, the last thirty days. */
export type AnalyticsQuery = MetricsFilter &
  Readonly<{ from?: string | undefined; to?: string | undefined; groupBy?: GroupBy | undefined }>;

const USUAL_DAYS = 30;
const MOST_DAYS = 366;
/** The most groups in a response; usually only posts exceed it. */
const MOST_GROUPS = 100;
const SHOWN_CHARACTERS = 80;

const COLUMNS: Readonly<Record<GroupBy, Grouping>> = Object.freeze({
  day: 'day',
  platform: 'platform',
  account: 'account_id',
  post: 'post_id',
});

type AnalyticsDeps = Readonly<{ store: Store; clock: Clock }>;

/** What published posts gained, compared with the previous period, and how recent the numbers are. */
export function makeAnalytics({ store, clock }: AnalyticsDeps) {
  async function labelsOf(authority: Authority, by: GroupBy, keys: readonly string[]) {
    if (by === 'account') {
      const accounts = await findAccounts(store.db, authority, keys);
      return new Map(accounts.map(({ id, platform, username }) => [id, { platform, username }]));
    }
    const posts = by === 'post' ? await findPosts(store.db, authority, keys) : [];
    return new Map(
      posts.map(({ id, text, title, published_at }) => {
        const shown = (text ?? title ?? '').slice(0, SHOWN_CHARACTERS).toWellFormed();
        return [id, { text: shown, published_at: isoTime(published_at) }];
      }),
    );
  }

  async function groupsOf(authority: Authority, filter: MetricsFilter, period: Period, by: GroupBy) {
    const most = by === 'day' ? MOST_DAYS : MOST_GROUPS;
    const found = await sumGainsBy(store, authority, { filter, period, by: COLUMNS[by], limit: most });
    const rows = found.slice(0, most);
    const labels = await labelsOf(
      authority,
      by,
      rows.map(({ key }) => key),
    );
    const groups = rows.map(({ key, ...sums }) => ({ [COLUMNS[by]]: key, ...labels.get(key), ...sums }));
    return { groups, more_groups: found.length > most };
  }

  return async function analytics(
    { authority, workspace: { timezone } }: Readonly<{ authority: Authority; workspace: Workspace }>,
    { from, to, groupBy, ...filter }: AnalyticsQuery,
  ) {
    const days = daysOf(from, to, localDay(timezone, clock.now()));
    await refuseUnknown(store.db, authority, filter.accountIds, filter.brandId);
    const { postId } = filter;
    if (postId !== undefined && (await findPosts(store.db, authority, [postId])).length === 0) noSuch('post', postId);
    const length = daysBetween(days.from, days.to) + 1;
    const before: Days = { from: daysAfter(days.from, -length), to: daysAfter(days.from, -1) };
    const spanOf = ({ from: first, to: last }: Days) => ({
      day: first,
      since: startOfDay(timezone, first),
      until: startOfDay(timezone, daysAfter(last, 1)),
    });
    const whole = (all: Days): Period => ({ ...all, spans: [spanOf(all)] });
    const daily = (): Period => ({ ...days, spans: eachDay(days).map((day) => spanOf({ from: day, to: day })) });
    const [totals, previous, fresh, grouped] = await Promise.all([
      sumGains(store, authority, filter, whole(days)),
      sumGains(store, authority, filter, whole(before)),
      freshnessOf(store.db, authority, filter, spanOf(days)),
      groupBy && groupsOf(authority, filter, groupBy === 'day' ? daily() : whole(days), groupBy),
    ]);
    const names = ['published', ...COUNTS] as const;
    return {
      ...days,
      timezone,
      totals,
      previous: { ...before, totals: previous },
      change: Object.fromEntries(names.map((name) => [name, totals[name] - previous[name]])),
      change_percent: Object.fromEntries(names.map((name) => [name, percent(totals[name], previous[name])])),
      ...grouped,
      freshness: {
        as_of: isoTime(fresh.newest),
        oldest_fetch: isoTime(fresh.oldest),
        targets: fresh.targets,
        targets_without_numbers: fresh.targets - fresh.measured,
      },
    };
  };
}

const eachDay = ({ from, to }: Days): readonly string[] =>
  Array.from({ length: daysBetween(from, to) + 1 }, (_, n) => daysAfter(from, n));

/** The change in percent, to one decimal; null if there was nothing before. */
function percent(now: number, before: number): number | null {
  return before === 0 ? null : Math.round(((now - before) / Math.abs(before)) * 1000) / 10;
}

function daysOf(given: string | undefined, until: string | undefined, today: string): Days {
  const to = until ?? today;
  const from = given ?? daysAfter(to, 1 - USUAL_DAYS);
  const length = daysBetween(from, to) + 1;
  if (length < 1 || length > MOST_DAYS) {
    fail('validation.field_invalid', {
      message: `from: ${from} to ${to} must span 1 to ${MOST_DAYS} days.`,
      next: 'Use another day.',
      meta: { field: 'from' },
    });
  }
  return { from, to };
}
