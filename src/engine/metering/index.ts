import type { Store } from '#db/store/store.ts';
import { countExtraPages } from '#db/access/pages.ts';
import { readUsage } from '#db/access/usage.ts';
import { findWorkspace } from '#db/access/users.ts';
import type { Caller } from '#call/caller.ts';
import type { Workspace } from '#kernel/authority.ts';
import type { Meter } from '#call/tool.ts';
import { isoTime, type Clock } from '#kernel/clock.ts';
import { fail } from '#kernel/errors.ts';
import { periodOf, PLANS } from '#kernel/plans.ts';
import { prepared } from '#kernel/text/prepared.ts';

type UsageDeps = Readonly<{ store: Pick<Store, 'db'>; clock: Pick<Clock, 'now'>; pagesCount: boolean }>;

export function makeUsage({ store, clock, pagesCount }: UsageDeps) {
  async function readState(workspace: Workspace) {
    const { id, plan } = workspace;
    const period = periodOf(workspace, clock.now());
    const [counted, row] = await Promise.all([readUsage(store.db, id, period.start), findWorkspace(store.db, id)]);
    if (!row) fail('auth.user_not_found');
    return { period, counted, row, limits: PLANS[plan].limits };
  }

  return Object.freeze({
    async read(workspace: Workspace) {
      const { period, counted, row, limits } = await readState(workspace);
      const extraPages = await countExtraPages(store.db, workspace.id);
      return {
        brands_used: row.brands_count,
        brands_limit: limits.profiles,
        posts_used: counted.posts,
        posts_limit: limits.posts_per_month,
        interactions_used: counted.interactions,
        interactions_limit: limits.interactions_per_month,
        profile_units_used: row.brands_count + extraPages,
        profile_units_limit: limits.profiles,
        // How many pages the plan allows beyond the first one of each account, if pages count.
        page_allowance: pagesCount && limits.profiles >= 0 ? Math.max(0, limits.profiles - row.brands_count) : -1,
        page_billing_exempt: !pagesCount,
        period_start: isoTime(period.start),
        period_end: isoTime(period.end),
      };
    },

    /** The response headers of metered operations on limited plans. */
    async headers({ workspace }: Caller, meter: Meter): Promise<Readonly<Record<string, string>>> {
      if (!PLANS[workspace.plan].enforced) return {};
      const { counted, row, limits } = await readState(workspace);
      const left = (limit: number, used: number) => String(limit < 0 ? -1 : Math.max(0, limit - used));
      const storage = { 'X-Storage-Used': String(row.storage_bytes), 'X-Storage-Limit': String(limits.storage_bytes) };
      if (meter === 'storage') return storage;
      return {
        'X-Posts-Limit': String(limits.posts_per_month),
        'X-Posts-Remaining': left(limits.posts_per_month, counted.posts),
        'X-Interactions-Limit': String(limits.interactions_per_month),
        'X-Interactions-Remaining': left(limits.interactions_per_month, counted.interactions),
        ...storage,
      };
    },

    plans: () => PLAN_LIST,
  });
}

const PLAN_LIST = prepared({
  plans: Object.values(PLANS).map(({ tier, name, tagline, monthly_price_usd, annual_price_usd, popular, limits }) => ({
    tier,
    name,
    tagline,
    monthly_price_usd,
    annual_price_usd,
    popular,
    limits,
  })),
});

export type Usage = ReturnType<typeof makeUsage>;
