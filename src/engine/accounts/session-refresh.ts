import {
  leaseAccount,
  leasedAccounts,
  loadAccount,
  noAccount,
  releaseAccount,
  storeSessions,
  type AccountRow,
} from '#db/access/accounts.ts';
import { NEVER } from '#db/schema/database.ts';
import { openJson, sealJson } from '#db/schema/sealed.ts';
import type { Store } from '#db/store/store.ts';
import type { AppFinder } from '#call/ports.ts';
import { sleep, type Clock } from '#kernel/clock.ts';
import { StoreUnavailable } from '#kernel/errors.ts';
import type { Log } from '#kernel/log.ts';
import type { Meter } from '#kernel/metrics/meter.ts';
import type { Sealer } from '#kernel/seal.ts';
import type { AccountCall, Session } from '#platforms/call.ts';
import { directOf, type DirectConnect, type OAuthConnect, type Renewed } from '#platforms/connect.ts';
import { PlatformError } from '#platforms/errors.ts';
import { connectorOf, platformFor, type Platforms } from '#platforms/lookup.ts';
import type { Platform } from '#platforms/platform.ts';
import { retryWrite } from '../jobs/retry-write.ts';
import { noClient } from './admission.ts';
import type { Calling } from './calling.ts';
import { disconnectAll } from './disconnect.ts';

/** Enough for two requests with a deadline each, and for storing the result. */
const leaseMs = (deadlineMs: number) => 2 * deadlineMs + 15_000;
/** How often to check whether another process has finished its refresh. */
const LOOK_MS = 250;
/** When to retry an early refresh that failed. */
const RETRY_MS = 60_000;
/** How long requests wait until a renewed session is stored. */
const KEEP_MS = 20_000;
/** The fraction of its lifetime after which a session is refreshed. */
const REFRESHED_AFTER = 0.8;

export type SessionsDeps = Readonly<{
  store: Store;
  clock: Clock;
  log: Log;
  meter: Pick<Meter, 'count'>;
  sealer: Sealer;
  calling: Calling;
  platforms: Platforms;
  apps: Pick<AppFinder, 'find'>;
}>;

type CallOf = (account: AccountRow) => AccountCall;

/** How an account was connected, which also determines how to refresh its session and end its grant. */
export function connectOf({ connect }: Platform, { by_key }: Pick<AccountRow, 'by_key'>): DirectConnect | OAuthConnect {
  return (by_key === 1 && directOf(connect)) || connect;
}

export function sealSession(sealer: Sealer, accountId: string, session: Session): string {
  return sealJson(sealer, session, 'accounts', accountId);
}

export function openSession(sealer: Sealer, { id, session }: Pick<AccountRow, 'id' | 'session'>): Session {
  return openJson(sealer, session, 'accounts', id) as Session;
}

/** Accounts with the same key are refreshed together: those of a platform that share a grant. */
function keyOf({ id, network, platform, grant_id }: AccountRow): string {
  return grant_id === null ? id : `${network} ${platform} ${grant_id}`;
}

/** The members of a session that a refresh has changed. */
function changedPart(before: Session, after: Session): Session {
  const isChanged = ([name, value]: [string, unknown]) => JSON.stringify(value) !== JSON.stringify(before[name]);
  return Object.fromEntries(Object.entries(after).filter(isChanged));
}

export function refreshAt(now: number, expiresAt: number | undefined): number {
  return expiresAt === undefined ? NEVER : now + Math.floor(Math.max(0, expiresAt - now) * REFRESHED_AFTER);
}

export async function reloadAccount(store: Store, id: string): Promise<AccountRow> {
  return (await loadAccount(store.db, id)) ?? noAccount(id);
}

/** Requests a renewed session; releases the lease if that fails. */
function makeRenewal({ store, clock, log, meter, platforms, apps }: SessionsDeps, callOf: CallOf) {
  /** Refreshes, and once more after a lost response, as platforms accept the old token for a while. */
  async function renewTwice(account: AccountRow): Promise<Renewed> {
    try {
      return await renew(account);
    } catch (error) {
      if (!(error instanceof PlatformError) || error.kind !== 'unknown') throw error;
      log.info(
        { account_id: account.id, platform: account.platform, error },
        'the answer to a session refresh was lost; requesting it again',
      );
      return renew(account);
    }
  }

  async function renew(account: AccountRow): Promise<Renewed> {
    const platform = connectorOf(platforms, account);
    const connect = connectOf(platform, account);
    if (connect.kind === 'direct') return connect.refresh!(callOf(account));
    const client = (await apps.find(platform, account)) ?? noClient(platform);
    return connect.refresh!(callOf(account), client);
  }

  return async function renewOrRelease(account: AccountRow, token: string): Promise<Renewed> {
    try {
      const renewed = await renewTwice(account);
      meter.count('refreshes', [account.platform, 'renewed']);
      return renewed;
    } catch (error) {
      const over = error instanceof PlatformError && error.kind === 'refused' && error.reason === 'auth';
      meter.count('refreshes', [account.platform, over ? 'ended' : 'failed']);
      const now = clock.now();
      await store.write(async (tx) => {
        // The grant has ended, except for accounts that were connected again in the meantime.
        const ended = over ? await leasedAccounts(tx.db, account, token) : [];
        // Delayed: otherwise accounts of a platform that is down would be retried constantly, before all others.
        await releaseAccount(tx.db, account, token, now + RETRY_MS);
        const ids = ended.map(({ id }) => id);
        if (error instanceof PlatformError) await disconnectAll(tx, ids, error.message, now);
      });
      throw error;
    }
  };
}

/** Refreshes sessions. Only one refresh runs for an account or grant, across all processes. */
export function makeRefresh(deps: SessionsDeps, callOf: CallOf) {
  const { store, clock, log, sealer, calling, platforms } = deps;
  const renewOrRelease = makeRenewal(deps, callOf);
  /** Refreshes that run in this process, by `keyOf`; a second caller waits for the first one's result. */
  const refreshing = new Map<string, Promise<AccountRow>>();
  /** Accounts whose renewed session is still being stored in the background, by `keyOf`, with the error to return. */
  const unstored = new Map<string, StoreUnavailable>();

  function canRefresh(account: AccountRow): boolean {
    const platform = platformFor(platforms, account);
    return platform !== undefined && connectOf(platform, account).refresh !== undefined;
  }

  /** Refreshes a session if the platform supports it; concurrent callers share the result. */
  function refresh(account: AccountRow): Promise<AccountRow> {
    const key = keyOf(account);
    const running = refreshing.get(key);
    // It may be refreshing another account of the same grant, which renews this account too.
    if (running) return running.then(({ id }) => (id === account.id ? running : reloadAccount(store, account.id)));
    const away = unstored.get(key);
    if (away) return Promise.reject(away);
    const started = refreshOnce(account).finally(() => refreshing.delete(key));
    refreshing.set(key, started);
    return started;
  }

  async function refreshOnce(seen: AccountRow): Promise<AccountRow> {
    if (!canRefresh(seen)) return seen;
    const token = store.process.newToken();
    for (;;) {
      const now = clock.now();
      const until = now + leaseMs(calling.deadlineMs);
      if (await store.write((tx) => leaseAccount(tx, seen, token, { now, until }))) break;
      const current = await reloadAccount(store, seen.id);
      if (current.session !== seen.session) return current;
      await sleep(clock, LOOK_MS);
    }
    // Another process may have refreshed the session before this one got the lease; that refresh token is now valid.
    const account = await reloadAccount(store, seen.id);
    if (account.session !== seen.session) {
      await store.write((tx) => releaseAccount(tx.db, account, token));
      return account;
    }
    return renew(account, token);
  }

  async function renew(account: AccountRow, token: string): Promise<AccountRow> {
    const { session, expiresAt } = await renewOrRelease(account, token);
    const now = clock.now();
    const patch = { refresh_at: refreshAt(now, expiresAt), updated_at: now };
    const own = { id: account.id, session: sealSession(sealer, account.id, session) };
    // Stored before use, as a single-use refresh token cannot be recovered if it is lost.
    const stored = await keep(account, () =>
      store.write(async (tx) => {
        const others = account.grant_id === null ? [] : await leasedAccounts(tx.db, account, token);
        const changed = changedPart(openSession(sealer, account), session);
        // Other platforms that share the grant have sessions of a different form.
        const alike = others.filter(({ id, platform }) => id !== account.id && platform === account.platform);
        const renewed = alike.map((other) => withPart(other, changed));
        const kept = await storeSessions(tx, token, [own, ...renewed], patch);
        await releaseAccount(tx.db, account, token);
        return kept.includes(account.id);
      }),
    );
    // If the account was connected again in the meantime, that session is the valid one.
    return stored ? { ...account, ...patch, session: own.session } : await reloadAccount(store, account.id);
  }

  /** Applies the changed members to another account of the same grant. */
  function withPart(account: AccountRow, changed: Session) {
    const session = { ...openSession(sealer, account), ...changed };
    return { id: account.id, session: sealSession(sealer, account.id, session) };
  }

  /** Stores a renewed session however long that takes; requests wait for it only for a limited time. */
  async function keep(account: AccountRow, write: () => Promise<boolean>): Promise<boolean> {
    try {
      return await retryWrite(clock, write, KEEP_MS);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      const key = keyOf(account);
      unstored.set(key, error);
      void retryWrite(clock, write)
        .catch((failed: unknown) => log.error({ account_id: account.id, error: failed }, 'renewed session not stored'))
        .finally(() => unstored.delete(key));
      throw error;
    }
  }

  return { refresh, canRefresh };
}
