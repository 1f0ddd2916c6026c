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
  /** Free alone refuses when posts or interactions are used up; paid plans only count. */
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

export type PlanTier = 'free' | 'starter' | 'pro' | 'business' | 'enterprise';

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

/** The plans of catalogues §5.1, cheapest first; -1 is unlimited (and, for a price, custom). */
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

const COUNTED = Object.freeze({ posts: 'posts_per_month', interactions: 'interactions_per_month' } as const);

/** How much of something a workspace may do in the running window: `max` -1 is any number, which is only counted. */
export function allowanceOf(
  workspace: Readonly<{ plan: PlanTier; createdAt: number }>,
  counter: keyof typeof COUNTED,
  now: number,
) {
  const { enforced, limits, name, tier } = PLANS[workspace.plan];
  const max = enforced ? limits[COUNTED[counter]] : -1;
  return { plan: tier, name, max, period: periodAt(workspace.createdAt, now) };
}

/** What is stored of a workspace's plan; without a list of platforms it has all of them. */
type Planned = Readonly<{ plan: PlanTier; allowed_platforms: readonly string[] | null }>;

/** The platforms that are part of the plan of a workspace. */
export function platformsOf({ allowed_platforms: allowed }: Planned): readonly string[] {
  return allowed ?? PLATFORMS;
}

/** Refuses a platform that is not part of the plan of a workspace. */
export function refuseUnplanned(workspace: Planned, platform: PlatformSlug): void {
  if (workspace.allowed_platforms?.includes(platform) ?? true) return;
  fail('billing.platform_not_available', {
    message: `${platform} is not part of the plan.`,
    meta: { plan: workspace.plan },
  });
}

/** The window of the Free plan: 30 days each, counted from the workspace's creation (catalogues §5.3). */
export function periodAt(createdAt: number, now: number): { start: number; end: number } {
  const length = 30 * DAY * 1000;
  const start = createdAt + Math.floor(Math.max(0, now - createdAt) / length) * length;
  return { start, end: start + length };
}
