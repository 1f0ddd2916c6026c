import { accountNamed, type AccountRow } from '#db/access/accounts.ts';
import type { Store } from '#db/store/store.ts';
import type { QuotaCounter, Sessions } from '#call/ports.ts';
import type { Authority } from '#kernel/authority.ts';
import type { AccountCall } from '#platforms/call.ts';
import { capabilityOf, connectorOf, type Platforms } from '#platforms/lookup.ts';
import type { Platform } from '#platforms/platform.ts';
import { orPlatformRefusal } from '#platforms/refusal.ts';

type PlatformInfoDeps = Readonly<{
  store: Store;
  sessions: Pick<Sessions, 'use'>;
  platforms: Platforms;
  quotas: Pick<QuotaCounter, 'left'>;
}>;

/** Details of an account that are read from the platform and not stored. */
export function makePlatformInfo({ store, sessions, platforms, quotas }: PlatformInfoDeps) {
  async function callPlatform<T>(
    authority: Authority,
    id: string,
    resource: string,
    question: (platform: Platform) => ((call: AccountCall) => Promise<T>) | undefined,
  ): Promise<Readonly<{ account: AccountRow; answer: T }>> {
    const account = await accountNamed(store.db, authority, id);
    const message = `${account.platform} does not provide this.`;
    const request = capabilityOf(platforms, account, resource, question, message);
    return { account, answer: await orPlatformRefusal(account.platform, sessions.use(account, request)) };
  }

  return Object.freeze({
    /** How much is left of the platform's own limits, by name. */
    async limits(authority: Authority, id: string): Promise<Readonly<Record<string, number>>> {
      const { account, answer } = await callPlatform(authority, id, 'limits', (platform) => platform.limits);
      const { network } = account;
      return { ...answer, ...(await quotas.left({ platform: connectorOf(platforms, account), network, account })) };
    },

    async creatorInfo(authority: Authority, id: string) {
      const { account, answer } = await callPlatform(authority, id, 'creator_info', (platform) => platform.creatorInfo);
      return { platform: account.platform, ...answer };
    },
  });
}
