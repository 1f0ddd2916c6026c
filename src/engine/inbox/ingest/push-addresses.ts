import { accountsOfApp } from '#db/access/apps.ts';
import { findEndedSubscription, findSubscription } from '#db/inbox/subscriptions.ts';
import type { Clock } from '#kernel/clock.ts';
import type { Network } from '#db/schema/database.ts';
import { sealContext } from '#db/schema/sealed.ts';
import type { Store } from '#db/store/store.ts';
import type { AppFinder } from '#call/ports.ts';
import { fail } from '#kernel/errors.ts';
import { isPlatform, type PlatformSlug } from '#kernel/platforms.ts';
import type { Sealer } from '#kernel/seal.ts';
import { pushAddressOf } from '#platforms/addresses.ts';
import type { UnauthenticatedCall } from '#platforms/call.ts';
import type { OAuthClient } from '#platforms/connect.ts';
import type { Platforms } from '#platforms/lookup.ts';
import type { Platform } from '#platforms/platform.ts';
import type { Push, PushTrust } from '#platforms/push.ts';

export type PushApp = Readonly<{ network: Network; secrets: readonly string[]; verifyToken: string }>;

export type PushAddressDeps = Readonly<{
  store: Store;
  platforms: Platforms;
  clock: Clock;
  sealer: Pick<Sealer, 'open'>;
  appsOf(platform: PlatformSlug): readonly PushApp[];
  bare(platform: Platform, network: Network): UnauthenticatedCall;
  verifyJwt: PushTrust['jwt'];
  apps: Pick<AppFinder, 'find'>;
  pushUrl(network: Network): string;
}>;

const NETWORKS: readonly Network[] = ['real', 'sandbox'];

/** An app or account that may send a request, and the secrets to verify it with. */
export type PushSender = Readonly<{ network: Network; account: string | null; trust: PushTrust }>;

/** The secrets that sign the webhooks of a customer's app, its dedicated webhook secret first. */
function secretsOf({ connect }: Platform, client: OAuthClient | undefined): readonly string[] {
  const { pushSecret = '' } = (connect.kind === 'oauth' ? connect.customerApps : undefined) ?? {};
  return client ? [client.secrets?.[pushSecret] ?? [], client.clientSecret].flat() : [];
}

/** Finds who may send to a webhook address. */
export function makePushAddresses(deps: PushAddressDeps) {
  const { store, platforms, clock, sealer, appsOf, bare, verifyJwt, pushUrl } = deps;

  /** The connector for an address; throws 404 if the platform has no webhooks. */
  function pushOf(slug: string): Readonly<{ platform: Platform; push: Push }> {
    const platform = isPlatform(slug) ? platforms.get(slug) : undefined;
    return platform?.push ? { platform, push: platform.push } : fail('http.404');
  }

  function trustOf(
    platform: Platform,
    { network, secrets, verifyToken }: PushApp,
    own: Pick<PushTrust, 'callback' | 'account' | 'ending'>,
  ): PushTrust {
    const { http: _, ...call } = bare(platform, network);
    return { ...call, ...own, app: secrets, verifyToken, jwt: verifyJwt };
  }

  /** The customer's app that sends to an address; throws 404 if no account is connected with it. */
  async function senderOf(platform: Platform, path: string): Promise<PushSender> {
    const [account] = await accountsOfApp(store.db, platform.slug, path);
    const { network } = account ?? fail('http.404');
    const secrets = secretsOf(platform, await deps.apps.find(platform, { network, app_id: path }));
    const callback = pushAddressOf(pushUrl(network), platform.slug, path);
    return { network, account: null, trust: trustOf(platform, { network, secrets, verifyToken: '' }, { callback }) };
  }

  /** The platform, while it confirms that the webhooks of a removed account end. */
  async function endedAt(platform: Platform, path: string): Promise<PushSender> {
    const row = (await findEndedSubscription(store.db, path, clock.now())) ?? fail('http.404');
    const isAt = (network: Network) => pushAddressOf(pushUrl(network), platform.slug, path) === row.callback;
    const network = NETWORKS.find(isAt) ?? fail('http.404');
    const own = { callback: row.callback, ending: true } as const;
    return { network, account: null, trust: trustOf(platform, { network, secrets: [], verifyToken: '' }, own) };
  }

  async function sendersOf(slug: string, path: string): Promise<readonly [PushSender, ...PushSender[]]> {
    const { platform, push } = pushOf(slug);
    const apps = appsOf(platform.slug);
    if (push.scope === 'customer_app') return [await senderOf(platform, path)];
    if (push.scope === 'account') {
      const row = await findSubscription(store.db, path);
      if (row?.platform !== slug || row.secret === null) fail('http.404');
      const { network, account_id, callback } = row;
      const known = apps.find((one) => one.network === network) ?? { network, secrets: [], verifyToken: '' };
      const app =
        row.app_id === null ? known : { ...known, secrets: secretsOf(platform, await deps.apps.find(platform, row)) };
      const account = sealer.open(row.secret, sealContext('subscriptions', account_id));
      return [{ network, account: account_id, trust: trustOf(platform, app, { callback, account }) }];
    }
    const [first, ...rest] = apps.map((app) => {
      const callback = pushAddressOf(pushUrl(app.network), platform.slug, null);
      return { network: app.network, account: null, trust: trustOf(platform, app, { callback }) };
    });
    return first ? [first, ...rest] : fail('auth.invalid_secret');
  }

  return Object.freeze({
    pushOf,

    /** Throws 404 for an unknown address, and 403 if no app is configured. */
    sendersOf,

    /** Who may verify an address: its senders, or the platform that ends a removed account's webhooks. */
    async handshakeSendersOf(slug: string, path: string): Promise<readonly PushSender[]> {
      const { platform, push } = pushOf(slug);
      const isGone = push.scope === 'account' && (await findSubscription(store.db, path)) === undefined;
      return isGone ? [await endedAt(platform, path)] : sendersOf(slug, path);
    },
  });
}
