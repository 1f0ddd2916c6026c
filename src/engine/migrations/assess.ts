import type { MigrationSource, SourceAccount } from '#db/schema/database.ts';
import { PLANS, type PlannedPlatforms } from '#kernel/plans.ts';
import { isPlatform, type PlatformSlug } from '#kernel/platforms.ts';
import type { Platforms } from '#platforms/lookup.ts';
import type { Provider, Stay } from './provider.ts';

export type AssessDeps = Readonly<{
  platforms: Platforms;
  plannedPlatforms: PlannedPlatforms;
  /** Whether pages count as brands in the plan. */
  pagesCount: boolean;
}>;

/** The platform that an account moves to, or why it has to stay. */
export function destinationOf(
  { platforms: served }: Pick<AssessDeps, 'platforms'>,
  { platforms }: Provider,
  { platform, linked }: SourceAccount,
): PlatformSlug | Stay {
  const destination = platforms.get(platform) ?? 'unknown platform';
  if (!isPlatform(destination)) return destination;
  if (!served.has(destination)) return 'unserved platform';
  return linked ? 'linked to another account' : destination;
}

/** What a workspace needs for the accounts it has at a provider, and which accounts have to stay there. */
export function assess(deps: AssessDeps, provider: Provider, source: MigrationSource) {
  const withDestination = source.accounts.map((account) => ({
    account,
    place: destinationOf(deps, provider, account),
  }));
  const moving = new Map<string, PlatformSlug[]>(source.profiles.map(({ id }) => [id, []]));
  for (const { account, place: destination } of withDestination) {
    // A profile that is missing from the list is known through its accounts.
    const slugs = moving.get(account.profile) ?? [];
    moving.set(account.profile, slugs);
    if (isPlatform(destination)) slugs.push(destination);
  }
  const names = new Map(source.profiles.map(({ id, name }) => [id, name]));
  const profiles = [...moving].map(([id, slugs]) => ({ id, name: names.get(id) ?? '', ...needOf(deps, slugs) }));
  const brands = sum(profiles.map((profile) => profile.brands));
  const extra = deps.pagesCount ? sum([...moving.values()].map((slugs) => extraPages(deps, slugs))) : 0;
  return {
    brands,
    pages_per_brand: Math.max(0, ...profiles.map((profile) => profile.pages_per_brand)),
    servable_accounts: sum(profiles.map((profile) => profile.servable_accounts)),
    profiles,
    recommended_plan: planFor(deps, brands + extra, [...new Set([...moving.values()].flat())]),
    stays_with_provider: staying(
      withDestination.map(({ account, place: destination }) => [account.platform, destination]),
    ),
  };
}

/** Counts a profile's accounts by platform, separately for platforms with pages. */
function countsOf({ platforms }: AssessDeps, slugs: readonly PlatformSlug[]) {
  const counts = [...Map.groupBy(slugs, (slug) => slug)].map(([slug, { length: count }]) => {
    const { title, pages } = platforms.get(slug)!;
    return { title, count, isPaged: pages !== undefined };
  });
  return { paged: counts.filter(({ isPaged }) => isPaged), single: counts.filter(({ isPaged }) => !isPaged) };
}

/** How many brands a profile needs: a brand has one account per platform, but accounts with pages can share one. */
function needOf(deps: AssessDeps, slugs: readonly PlatformSlug[]) {
  const { paged, single } = countsOf(deps, slugs);
  return {
    brands: Math.max(paged.length > 0 ? 1 : 0, ...single.map(({ count }) => count)),
    pages_per_brand: Math.max(0, ...paged.map(({ count }) => count)),
    servable_accounts: slugs.length,
    splits: single
      .filter(({ count }) => count > 1)
      .map(({ count, title }) => `${count} accounts of ${title}; a brand has one.`),
  };
}

/** A profile's pages beyond the first of each account. */
const extraPages = (deps: AssessDeps, slugs: readonly PlatformSlug[]): number =>
  sum(countsOf(deps, slugs).paged.map(({ count }) => count - 1));

/** The cheapest plan with the platforms and enough brands. */
function planFor({ plannedPlatforms }: AssessDeps, needed: number, slugs: readonly PlatformSlug[]) {
  const { tier, name, limits } =
    Object.values(PLANS).find(({ tier: plan, limits: { profiles } }) => {
      const allowed = plannedPlatforms.of({ plan });
      return (profiles === -1 || profiles >= needed) && slugs.every((slug) => allowed.includes(slug));
    }) ?? PLANS.enterprise;
  return { tier, name, brands_limit: limits.profiles, pages_per_brand: -1 };
}

function staying(withDestination: readonly (readonly [platform: string, place: PlatformSlug | Stay])[]) {
  const groups = Map.groupBy(withDestination, ([platform, destination]) => `${platform}\n${destination}`);
  return [...groups.values()]
    .flatMap((group) => {
      const [platform, reason] = group[0]!;
      return isPlatform(reason) ? [] : [{ platform, count: group.length, reason }];
    })
    .toSorted((one, other) => (one.platform < other.platform ? -1 : 1));
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
