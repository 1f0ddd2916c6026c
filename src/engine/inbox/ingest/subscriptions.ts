import { hasSibling, holdAccount, loadAccount, type AccountRow } from '#db/access/accounts.ts';
import {
  insertSubscription,
  loadSubscription,
  patchSubscription,
  type SubscriptionRow,
} from '#db/inbox/subscriptions.ts';
import type { Network } from '#db/schema/database.ts';
import { sealContext } from '#db/schema/sealed.ts';
import type { Store } from '#db/store/store.ts';
import type { Tx } from '#db/store/tx.ts';
import type { AppFinder, EndPushes, Sessions } from '#call/ports.ts';
import type { Clock } from '#kernel/clock.ts';
import { randomHex } from '#kernel/ids.ts';
import type { Log } from '#kernel/log.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { Sealer } from '#kernel/seal.ts';
import { pushAddressOf } from '#platforms/addresses.ts';
import { connectorOf, platformFor, type Platforms } from '#platforms/lookup.ts';
import type { Push } from '#platforms/push.ts';
import { makeRetryPolicy, withJitter } from '#platforms/retry-policy.ts';
import type { PushApp } from './push-addresses.ts';

const LOOK_MS = 3_600_000;
/** The least time between checks and between attempts. */
const LEAST_MS = 10_000;
const AGAIN_MS = 60_000;
/** The fraction of its lifetime after which a subscription is renewed. */
const RENEWED_AFTER = 0.8;
const PATH_BYTES = 20;
const SECRET_BYTES = 32;

export type SubscriptionDeps = Readonly<{
  store: Store;
  sessions: Pick<Sessions, 'use'>;
  endPushes: EndPushes;
  platforms: Platforms;
  clock: Clock;
  log: Log;
  sealer: Sealer;
  apps: Pick<AppFinder, 'find'>;
  appsOf(platform: PlatformSlug): readonly PushApp[];
  pushUrl(network: Network): string;
  /** Whether the platforms of a network can reach that URL. */
  isReachable(network: Network): boolean;
}>;

type Subscribing = Push & Required<Pick<Push, 'subscribe'>>;

function makeSubscribing(deps: SubscriptionDeps) {
  const { store, sessions, platforms, clock, sealer, appsOf, apps } = deps;

  function subscribingOf(account: AccountRow): Subscribing | undefined {
    const { push } = platformFor(platforms, account) ?? {};
    const { subscribe } = push ?? {};
    return subscribe && account.status === 'active' && deps.isReachable(account.network)
      ? { ...push!, subscribe }
      : undefined;
  }

  function callbackFor(account: AccountRow, { path }: Pick<SubscriptionRow, 'path'>): string {
    const { platform, network, app_id } = account;
    const { scope } = connectorOf(platforms, account).push!;
    return pushAddressOf(deps.pushUrl(network), platform, scope === 'customer_app' ? app_id : path);
  }

  /** The account's row, created if missing; path and secret stay the same as long as the account exists. */
  async function rowOf(account: AccountRow, { scope }: Push): Promise<SubscriptionRow | undefined> {
    const known = await loadSubscription(store.db, account.id);
    if (known !== undefined) return known;
    return store.write(async (tx) => {
      if ((await holdAccount(tx.db, tx.dialect, account.id)) === undefined) return undefined;
      const path = scope === 'account' ? randomHex(PATH_BYTES) : null;
      await insertSubscription(tx.db, {
        account_id: account.id,
        path,
        secret: path && sealer.seal(randomHex(SECRET_BYTES), sealContext('subscriptions', account.id)),
        callback: callbackFor(account, { path }),
        until: null,
        kept: null,
        state: 'pending',
        caught_up: 0,
        made_at: clock.now(),
      });
      return loadSubscription(tx.db, account.id);
    });
  }

  const isActive = (account: AccountRow, row: SubscriptionRow): boolean =>
    row.state === 'active' && row.callback === callbackFor(account, row) && (row.until ?? Infinity) > clock.now();

  async function subscribe(account: AccountRow, push: Subscribing, row: SubscriptionRow): Promise<SubscriptionRow> {
    const callback = callbackFor(account, row);
    const secret = row.secret === null ? undefined : sealer.open(row.secret, sealContext('subscriptions', account.id));
    const { platform, network } = account;
    const verifyToken = appsOf(platform).find((app) => app.network === network)?.verifyToken ?? '';
    const client = await apps.find(connectorOf(platforms, account), account);
    const target = { callback, verifyToken, secret, client, kept: row.kept };
    return sessions.use(account, async (call) => {
      const subscribed = await push.subscribe(call, target);
      if (subscribed === undefined) return row.state === 'active' ? unsubscribed(row) : row;
      const { until = null, kept = null, isUnconfirmed } = subscribed;
      const active = { state: 'active', until, caught_up: 0, made_at: clock.now() } as const;
      const made = { kept, ...(isUnconfirmed ? {} : active) };
      const stored = await store.write((tx) => patchSubscription(tx.db, account.id, made));
      // If the account was removed while subscribing, the subscription has to be ended here.
      if (!stored) await push.unsubscribe?.(call, kept, await hasSibling(store.db, account), client);
      // A subscription that is still unconfirmed at the next check is requested again.
      return { ...row, ...made, until };
    });
  }

  /** Marks a subscription that can no longer be made as pending, so that the account is polled. */
  async function unsubscribed(row: SubscriptionRow): Promise<SubscriptionRow> {
    const pending = { state: 'pending' } as const;
    await store.write((tx) => patchSubscription(tx.db, row.account_id, pending));
    return { ...row, ...pending };
  }

  /** Creates, renews or replaces the subscription of an account; undefined if the account was removed. */
  async function keepUp(account: AccountRow, push: Subscribing): Promise<SubscriptionRow | undefined> {
    const row = await rowOf(account, push);
    if (row === undefined) return undefined;
    const { isSubscribed } = push;
    const check = isSubscribed && (() => sessions.use(account, (call) => isSubscribed(call, row.kept)));
    if (isActive(account, row) && (await check?.()) !== false) {
      return renewAt(row) <= clock.now() ? subscribe(account, push, row) : row;
    }
    // Stored first, because the platform may verify the address right away. Polling continues until it confirms.
    const pending = { state: 'pending', callback: callbackFor(account, row) } as const;
    await store.write((tx) => patchSubscription(tx.db, account.id, pending));
    return subscribe(account, push, { ...row, ...pending });
  }

  return Object.freeze({ subscribingOf, isActive, keepUp });
}

/** Creates webhook subscriptions, renews them early, and replaces them when they are invalid. */
export function makeSubscriptions(deps: SubscriptionDeps) {
  const { store, platforms, clock, log } = deps;
  const { subscribingOf, isActive, keepUp } = makeSubscribing(deps);
  const retryPolicy = makeRetryPolicy();

  return Object.freeze({
    /** Requests a new subscription for an account, in the transaction that connects it. */
    async follow(tx: Tx, account: AccountRow): Promise<void> {
      if (platformFor(platforms, account)?.push?.subscribe === undefined) return;
      await patchSubscription(tx.db, account.id, { state: 'pending' });
      await tx.enqueue({ kind: 'renew_push', key: account.id, runAt: clock.now() });
    },

    /** The job `renew_push`: creates or renews a subscription when it is due. */
    async renew(accountId: string): Promise<void | { again: number }> {
      const account = await loadAccount(store.db, accountId);
      if (account?.status !== 'active') {
        retryPolicy.forget(accountId);
        return account && deps.endPushes([account]);
      }
      const push = subscribingOf(account);
      // A restart may change the configuration so that the address can be reached.
      if (push === undefined) return { again: withJitter(LOOK_MS) };
      try {
        const row = await keepUp(account, push);
        retryPolicy.forget(accountId);
        const wait = row && Math.min(LOOK_MS, Math.max(renewAt(row) - clock.now(), LEAST_MS));
        return wait === undefined ? undefined : { again: withJitter(wait) };
      } catch (error) {
        const wait = retryPolicy.after(accountId, error, AGAIN_MS);
        log.info({ account_id: accountId, platform: account.platform, error, wait_ms: wait }, 'pushes not subscribed');
        if (wait !== 'over') return { again: withJitter(wait) };
        await deps.endPushes([account]);
      }
    },

    /** An account's subscription, if it is active and events arrive through it. */
    async active(account: AccountRow): Promise<SubscriptionRow | undefined> {
      const row = subscribingOf(account) && (await loadSubscription(store.db, account.id));
      return row && isActive(account, row) ? row : undefined;
    },

    /** Records that a poll has run since this subscription was made, unless it was replaced. */
    async caughtUp({ account_id, made_at }: SubscriptionRow): Promise<void> {
      await store.write(async (tx) => {
        const row = await loadSubscription(tx.db, account_id);
        if (row?.made_at === made_at) await patchSubscription(tx.db, account_id, { caught_up: 1 });
      });
    },
  });
}

/** When to renew a subscription; Infinity if it does not expire. */
function renewAt({ until, made_at }: SubscriptionRow): number {
  return until === null ? Infinity : made_at + Math.max(0, until - made_at) * RENEWED_AFTER;
}

export type Subscriptions = ReturnType<typeof makeSubscriptions>;
