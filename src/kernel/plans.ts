import { fail } from './errors.ts';
import { PLATFORMS, type PlatformSlug } from './platforms.ts';

const MB_100 = 104_857_600;
const DAY = 86_400;

export type Plan = Readonly<{
  tier: PlanTier;
  name: string;
  tagline: string;
  monthly_price_usd: number;
  annual_price_usd: number;
  popular: boolean;
  /** Whether requests are refused when posts or interactions are used up (Free); paid plans only count them. */
  enforced: boolean;
  limits: Readonly<{
    profiles: number;
    posts_per_month: number;
    interactions_per_month: number;
    storage_bytes: number;
    event_retention_days: number;
    exports_per_month: number;
  }>;
  exports: Readonly<{
    videos: number;
    transcripts: number;
    vision: boolean;
    report_days: number;
    cooldown_seconds: number;
  }>;
}>;

export type PlanTier = 'free' | PaidTier | 'enterprise';

export const PAID_TIERS = Object.freeze(['starter', 'pro', 'business'] as const);
export type PaidTier = (typeof PAID_TIERS)[number];

export const INTERVALS = Object.freeze(['month', 'year'] as const);
export type Interval = (typeof INTERVALS)[number];

/** The plan of a workspace, with the times from which its periods are counted. */
export type Planned = Readonly<{
  plan: PlanTier;
  createdAt: number;
  planSince?: number | undefined;
  /** The time from which months of the subscription are counted; undefined without a subscription. */
  cycleAnchor?: number | undefined;
  /** The workspace's own list of platforms, which replaces that of the plan. */
  allowedPlatforms?: readonly string[] | undefined;
}>;

function plan(
  [tier, name, tagline]: readonly [PlanTier, string, string],
  [monthly, annual]: readonly [number, number],
  [profiles, posts, interactions, storage]: readonly number[],
  [retention, exports, videos, transcripts, reportDays, cooldown]: readonly number[],
): Plan {
  return Object.freeze({
    tier,
    name,
    tagline,
    monthly_price_usd: monthly,
    annual_price_usd: annual,
    popular: tier === 'pro',
    enforced: tier === 'free',
    limits: Object.freeze({
      profiles: profiles!,
      posts_per_month: posts!,
      interactions_per_month: interactions!,
      storage_bytes: storage!,
      event_retention_days: retention!,
      exports_per_month: exports!,
    }),
    exports: Object.freeze({
      videos: videos!,
      transcripts: transcripts!,
      vision: tier !== 'free',
      report_days: reportDays!,
      cooldown_seconds: cooldown!,
    }),
  });
}

/** The plans, cheapest first; -1 means unlimited (as a price: custom). */
export const PLANS: Readonly<Record<PlanTier, Plan>> = Object.freeze({
  // prettier-ignore
  free: plan(['free', 'Free', 'Try everything with two brands.'], [0, 0], [2, 10, 50, MB_100], [1, 2, 30, 10, 7, 7 * DAY]),
  starter: plan(['starter', 'Starter', 'For one small team.'], [29, 276], [10, -1, -1, -1], [7, 10, 200, -1, 30, DAY]),
  pro: plan(['pro', 'Pro', 'For agencies that grow.'], [109, 1044], [50, -1, -1, -1], [30, 20, 500, -1, 30, 3600]),
  business: plan(
    ['business', 'Business', 'For many brands.'],
    [349, 3348],
    [200, -1, -1, -1],
    [90, -1, -1, -1, 90, 3600],
  ),
  enterprise: plan(['enterprise', 'Enterprise', 'No limits.'], [-1, -1], [-1, -1, -1, -1], [90, -1, -1, -1, 90, 0]),
});

const COUNTED = Object.freeze({
  posts: 'posts_per_month',
  interactions: 'interactions_per_month',
  exports: 'exports_per_month',
} as const);

export type Counter = keyof typeof COUNTED;

/** The limit of a counter and the current period; a `max` of -1 is unlimited but still counted. */
export function allowanceOf(workspace: Planned, counter: Counter, now: number) {
  const { enforced, limits, name, tier } = PLANS[workspace.plan];
  const max = enforced || counter === 'exports' ? limits[COUNTED[counter]] : -1;
  return { plan: tier, name, max, period: periodOf(workspace, now) };
}

type Allowed = Pick<Planned, 'plan' | 'allowedPlatforms'>;

/** The platforms of each plan, as restricted by the operator; a plan that is not listed has all. */
export type PlanPlatforms = Readonly<Partial<Record<PlanTier, readonly PlatformSlug[]>>>;

/** Determines which platforms the plan of a workspace includes. */
export function makePlannedPlatforms(byPlan: PlanPlatforms) {
  const listOf = ({ plan, allowedPlatforms }: Allowed): readonly string[] | undefined =>
    allowedPlatforms ?? byPlan[plan];

  return Object.freeze({
    of: (workspace: Allowed): readonly string[] => listOf(workspace) ?? PLATFORMS,

    refuse(workspace: Allowed, platform: PlatformSlug): void {
      if (listOf(workspace)?.includes(platform) ?? true) return;
      fail('billing.platform_not_available', {
        message: `${platform} is not part of the plan.`,
        meta: { plan: workspace.plan },
      });
    },
  });
}

export type PlannedPlatforms = ReturnType<typeof makePlannedPlatforms>;

/** A period whose counters are stored in one row, keyed by its start. */
export type Period = Readonly<{ start: number; end: number }>;

/** The period that contains a time: docs/contract/plans.md#periods. A change of plan starts a new period. */
export function periodOf({ createdAt, planSince = 0, cycleAnchor }: Omit<Planned, 'plan'>, now: number): Period {
  const { start, end } = cycleAnchor === undefined ? windowOf(createdAt, now) : monthOf(cycleAnchor, now);
  return { start: planSince > now ? start : Math.max(start, planSince), end };
}

function windowOf(createdAt: number, now: number): Period {
  const length = 30 * DAY * 1000;
  const start = createdAt + Math.floor(Math.max(0, now - createdAt) / length) * length;
  return { start, end: start + length };
}

function monthOf(anchor: number, now: number): Period {
  const [from, at] = [new Date(anchor), new Date(now)];
  const months = (at.getUTCFullYear() - from.getUTCFullYear()) * 12 + at.getUTCMonth() - from.getUTCMonth();
  const passed = monthsAfter(anchor, months) > now ? months - 1 : months;
  return { start: monthsAfter(anchor, passed), end: monthsAfter(anchor, passed + 1) };
}

/** The same day and time some months later; in a shorter month, its last day. */
function monthsAfter(instant: number, months: number): number {
  const date = new Date(instant);
  const day = date.getUTCDate();
  date.setUTCMonth(date.getUTCMonth() + months, 1);
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  return date.setUTCDate(Math.min(day, last));
}
