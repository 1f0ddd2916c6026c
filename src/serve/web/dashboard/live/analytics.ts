import type { Clock } from '#kernel/clock.ts';
import { ABILITIES } from '#kernel/people/abilities.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import { daysAfter, localDay } from '#kernel/text/local-time.ts';
import type { Visitor } from '../../sign-in/visitors.ts';
import type { Frame } from '../frame.ts';
import { NAMED, slim, slimBrands, type BrandChoice, type ListedAccount } from './account-fields.ts';

const PATH = '/dashboard/analytics';
const PERIODS: ReadonlyMap<string, number> = new Map([
  ['7', 7],
  ['28', 28],
  ['90', 90],
]);
const USUAL = '28';

/** The page of what posts gained in a period, by day and by post. */
export function makeAnalyticsRoutes({ visitors, operate, sendLive, list }: Frame, clock: Clock): readonly Route[] {
  /** The requested days: a period that ends today, or the two days named in the URL. */
  function daysOf(query: URLSearchParams, timezone: string) {
    const from = query.get('from');
    const to = query.get('to');
    if (from !== null && to !== null) return { period: 'own', from, to };
    const asked = query.get('period') ?? USUAL;
    const period = PERIODS.has(asked) ? asked : USUAL;
    const today = localDay(timezone, clock.now());
    return { period, from: daysAfter(today, 1 - PERIODS.get(period)!), to: today };
  }

  async function show(ctx: RequestContext, visitor: Visitor): Promise<void> {
    const query = new URLSearchParams(ctx.querystring);
    const { period, ...days } = daysOf(query, visitor.caller.workspace.timezone);
    const named = (name: string) => query.get(name) ?? '';
    const filters = { brand: named('brand'), platform: named('platform'), account: named('account') };
    const input = {
      ...days,
      brand_id: filters.brand || undefined,
      platform: filters.platform || undefined,
      account_ids: filters.account === '' ? undefined : [filters.account],
    };
    const [byDay, byPost, accounts, brands] = await Promise.all([
      operate(ctx, visitor, 'get_analytics', { ...input, group_by: 'day' }),
      operate(ctx, visitor, 'get_analytics', { ...input, group_by: 'post' }),
      list<ListedAccount>(ctx, visitor, 'list_accounts'),
      list<BrandChoice>(ctx, visitor, 'list_brands'),
    ]);
    const refusal = byDay.refusal ?? byPost.refusal;
    const first = {
      input,
      choice: { period, ...days, ...filters },
      answers: refusal === undefined ? { days: byDay.body, posts: byPost.body } : undefined,
      list_accounts: { data: slim(accounts, [...NAMED, 'capabilities'], ABILITIES.analytics) },
      list_brands: { data: slimBrands(brands) },
    };
    await sendLive(ctx, visitor, { name: 'analytics', path: PATH, title: 'Analytics', first }, refusal);
  }

  return Object.freeze([{ path: PATH, GET: visitors.signedIn(show) }]);
}
