import { mostUsed } from '#db/upkeep/gauges.ts';
import { countSharing, readQuotas, takeQuota, type QuotaWindow } from '#db/access/quotas.ts';
import type { Network } from '#db/schema/database.ts';
import type { Store } from '#db/store/store.ts';
import type { PollPace, QuotaCounter, QuotaLeft } from '#call/ports.ts';
import type { Clock } from '#kernel/clock.ts';
import { windowAt } from '#kernel/limits/windows.ts';
import type { Platform } from '#platforms/platform.ts';
import { QuotaSpent, type Quota } from '#platforms/app/quotas.ts';

/** The share of the remaining quota that polling may use; the rest is left for people's requests. */
const POLL_SHARE = 0.5;

type QuotaDeps = Readonly<{
  store: Store;
  clock: Clock;
  platforms: Iterable<Platform>;
  settingsOf(platform: Platform, network: Network): Readonly<Record<string, string>>;
}>;

type Allowance = Readonly<{ quota: Quota; limit: number; window: QuotaWindow }>;

type User = Parameters<QuotaCounter['left']>[0];

/** The beginning of a quota's bucket key; it is followed by those who share the quota. */
const bucketOf = (network: Network, { slug }: Platform, name: string) => [network, slug, name].join(' ');

/** Counts the use of platforms' quotas across all processes. */
export function makeQuotas({ store, clock, platforms, settingsOf }: QuotaDeps) {
  function limitOf(platform: Platform, network: Network, { setting, limit }: Quota): number | undefined {
    const set = setting === undefined ? undefined : settingsOf(platform, network)[setting];
    return set === undefined ? limit : Number(set);
  }

  /** The limit of a quota for a user; undefined if there is none or the account does not exist yet. */
  function allowanceOf({ platform, network, account }: User, name: string): Allowance | undefined {
    const quota = platform.quotas?.[name];
    if (quota === undefined) throw new Error(`${platform.slug} has no quota ${name}`);
    const limit = limitOf(platform, network, quota);
    const sharer = quota.per === 'account' ? account?.id : (account?.app_id ?? 'server');
    if (limit === undefined || sharer === undefined) return undefined;
    const bucket = `${bucketOf(network, platform, name)} ${sharer}`;
    return { quota, limit, window: { bucket, ...windowAt(quota, clock.now()) } };
  }

  async function leftOf(allowances: readonly Allowance[]): Promise<readonly number[]> {
    const windows = allowances.map(({ window }) => window);
    const used = await readQuotas(store.db, windows);
    return allowances.map(({ limit }, index) => Math.max(0, limit - used[index]!));
  }

  /** For each limited quota of a real platform, how much is left for the account or app that used most of it. */
  async function least(): Promise<readonly QuotaLeft[]> {
    const limited = [...platforms].flatMap((platform) =>
      Object.entries(platform.quotas ?? {}).flatMap(([name, quota]) => {
        const limit = limitOf(platform, 'real', quota);
        const bucket = bucketOf('real', platform, name);
        return limit === undefined
          ? []
          : [{ platform: platform.slug, name, limit, bucket, ...windowAt(quota, clock.now()) }];
      }),
    );
    const used = await mostUsed(store.db, limited);
    return limited.map(({ platform, name, limit, bucket }) => {
      return { platform, quota: name, left: Math.max(0, limit - (used.get(bucket) ?? 0)) };
    });
  }

  return Object.freeze<QuotaCounter & Readonly<{ least: typeof least }>>({
    least,
    async spend(user, { bucket, units }) {
      const allowance = allowanceOf(user, bucket);
      if (allowance === undefined) return;
      const { limit, window } = allowance;
      if (await store.write((tx) => takeQuota(tx.db, window, { units, limit }))) return;
      throw new QuotaSpent(bucket, { now: clock.now(), until: window.end });
    },

    async left(user) {
      const limited = Object.keys(user.platform.quotas ?? {}).flatMap((name) => {
        const allowance = allowanceOf(user, name);
        return allowance === undefined ? [] : [{ name, allowance }];
      });
      const left = await leftOf(limited.map(({ allowance }) => allowance));
      return Object.fromEntries(limited.map(({ name }, index) => [`${name}_remaining`, left[index]!]));
    },

    async pace(user, cost): Promise<PollPace> {
      if (cost === undefined) return { leastMs: 0 };
      const { bucket, units } = cost;
      const allowance = allowanceOf(user, bucket);
      if (allowance === undefined || user.account === undefined) return { leastMs: 0 };
      const { quota, window } = allowance;
      const [left = 0] = await leftOf([allowance]);
      const budget = left * POLL_SHARE;
      if (budget < units) return { until: window.end };
      const accounts = quota.per === 'account' ? 1 : await countSharing(store.db, user.account);
      return { leastMs: Math.ceil(((window.end - clock.now()) * accounts * units) / budget) };
    },
  });
}
