import { setImmediate as nextTurn } from 'node:timers/promises';
import { findAccounts } from '#db/access/accounts.ts';
import {
  COUNTS,
  freshnessOf,
  sumGainsBy,
  type Days,
  type Grouping,
  type MetricsFilter,
  type Period,
  type Sums,
} from '#db/posts/daily-metrics.ts';
import { findPosts } from '#db/posts/posts.ts';
import type { Store } from '#db/store/store.ts';
import type { Authority, Workspace } from '#kernel/authority.ts';
import { isoTime, type Clock } from '#kernel/clock.ts';
import { fail, noSuch } from '#kernel/errors.ts';
import { daysAfter, daysBetween, localDay, startOfDay } from '#kernel/text/local-time.ts';
import { byCodeUnits } from '#kernel/text/order.ts';
import { refuseUnknown } from '../read/post-reader.ts';

export type GroupBy = 'day' | 'platform' | 'account' | 'post';

/** Without `from` and `to`, the last thirty days. */
export type AnalyticsQuery = MetricsFilter &
  Readonly<{ from?: string | undefined; to?: string | undefined; groupBy?: GroupBy | undefined }>;

const USUAL_DAYS = 30;
const MOST_DAYS = 366;
/** Longer periods are added up in parts, as other requests wait for each part. */
const DAYS_AT_ONCE = 7;
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

  /** What posts gained in some days, by group. */
  async function gainsIn(authority: Authority, filter: MetricsFilter, zone: string, days: Days, by: Grouping) {
    const gains = new Map<string, Sums>();
    for (let from = days.from; from <= days.to; from = daysAfter(from, DAYS_AT_ONCE)) {
      const last = daysAfter(from, DAYS_AT_ONCE - 1);
      const period = periodOf(zone, { from, to: last < days.to ? last : days.to });
      for (const { key, ...more } of await sumGainsBy(store, authority, { filter, period, by }))
        gains.set(key, add(more, gains.get(key) ?? NOTHING));
      await nextTurn();
    }
    return gains;
  }

  async function groupsOf(authority: Authority, gains: ReadonlyMap<string, Sums>, by: GroupBy) {
    const most = by === 'day' ? MOST_DAYS : MOST_GROUPS;
    const rows = [...gains].toSorted(by === 'day' ? byKey : byGain).slice(0, most);
    const labels = await labelsOf(
      authority,
      by,
      rows.map(([key]) => key),
    );
    const groups = rows.map(([key, sums]) => ({ [COLUMNS[by]]: key, ...labels.get(key), ...sums }));
    return { groups, more_groups: gains.size > most };
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
    const [gains, gainsBefore, fresh] = await Promise.all([
      gainsIn(authority, filter, timezone, days, COLUMNS[groupBy ?? 'platform']),
      gainsIn(authority, filter, timezone, before, 'platform'),
      freshnessOf(store.db, authority, filter, spanOf(timezone, days)),
    ]);
    const [totals, previous] = [sumOf(gains.values()), sumOf(gainsBefore.values())];
    const grouped = groupBy && (await groupsOf(authority, gains, groupBy));
    return {
      ...days,
      timezone,
      totals,
      previous: { ...before, totals: previous },
      change: Object.fromEntries(NAMES.map((name) => [name, totals[name] - previous[name]])),
      change_percent: Object.fromEntries(NAMES.map((name) => [name, percent(totals[name], previous[name])])),
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

const NAMES = Object.freeze(['published', ...COUNTS] as const);
const NOTHING = Object.fromEntries(NAMES.map((name) => [name, 0])) as Sums;

const add = (one: Sums, other: Sums) =>
  Object.fromEntries(NAMES.map((name) => [name, one[name] + other[name]])) as Sums;
const sumOf = (all: Iterable<Sums>): Sums => [...all].reduce(add, NOTHING);

type Gain = readonly [key: string, sums: Sums];
const byKey = ([one]: Gain, [other]: Gain): number => byCodeUnits(one, other);
const reactionsOf = ({ likes, comments, shares, saves }: Sums): number => likes + comments + shares + saves;
/** The largest gains first. */
const byGain = (one: Gain, other: Gain): number =>
  reactionsOf(other[1]) - reactionsOf(one[1]) || other[1].views - one[1].views || byKey(one, other);

const spanOf = (zone: string, { from, to }: Days) => ({
  day: from,
  since: startOfDay(zone, from),
  until: startOfDay(zone, daysAfter(to, 1)),
});

const periodOf = (zone: string, days: Days): Period => ({
  ...days,
  spans: eachDay(days).map((day) => spanOf(zone, { from: day, to: day })),
});

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
