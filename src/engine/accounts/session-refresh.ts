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

/** Two requests with a deadline each, and time to store the answer. */
const leaseMs = (deadlineMs: number) => 2 * deadlineMs + 15_000;
/** How often to check whether another process has finished its refresh. */
const LOOK_MS = 250;
/** How soon a failed early refresh is retried. */
const RETRY_MS = 60_000;
/** How long requests wait for a renewed session to be stored. */
const KEEP_MS = 20_000;
/** Sessions are refreshed after this part of their lifetime. */
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

/** The connection method that refreshes an account's session and ends its grant. */
export function connectOf({ connect }: Platform, { by_key }: Pick<AccountRow, 'by_key'>): DirectConnect | OAuthConnect {
  return (by_key === 1 && directOf(connect)) || connect;
}

export function sealSession(sealer: Sealer, accountId: string, session: Session): string {
  return sealJson(sealer, session, 'accounts', accountId);
}

export function openSession(sealer: Sealer, { id, session }: Pick<AccountRow, 'id' | 'session'>): Session {
  return openJson(sealer, session, 'accounts', id) as Session;
}

/** What is refreshed together: an account, or all of a platform that share a grant. */
function keyOf({ id, network, platform, grant_id }: AccountRow): string {
  return grant_id === null ? id : `${network} ${platform} ${grant_id}`;
}

/** The members that differ in a renewed session. */
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

/** Requests a renewed session; a failure releases the lease. */
function makeRenewal({ store, clock, log, meter, platforms, apps }: SessionsDeps, callOf: CallOf) {
  /** Refreshes; after a lost answer once more, as platforms accept the old token for a while. */
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
        // The grant has ended, except for accounts that were reconnected meanwhile.
        const ended = over ? await leasedAccounts(tx.db, account, token) : [];
        // Delayed, or accounts of a platform that is down would be retried constantly, before all others.
        await releaseAccount(tx.db, account, token, now + RETRY_MS);
        const ids = ended.map(({ id }) => id);
        if (error instanceof PlatformError) await disconnectAll(tx, ids, error.message, now);
      });
      throw error;
    }
  };
}

/** Refreshes sessions, one at a time per account or grant, across processes. */
export function makeRefresh(deps: SessionsDeps, callOf: CallOf) {
  const { store, clock, log, sealer, calling, platforms } = deps;
  const renewOrRelease = makeRenewal(deps, callOf);
  /** Refreshes in progress here, by `keyOf`; a second caller waits for the first one's result. */
  const refreshing = new Map<string, Promise<AccountRow>>();
  /** By `keyOf`: accounts whose renewed session is still being stored in the background, and why. */
  const unstored = new Map<string, StoreUnavailable>();

  function canRefresh(account: AccountRow): boolean {
    const platform = platformFor(platforms, account);
    return platform !== undefined && connectOf(platform, account).refresh !== undefined;
  }

  /** Renews a session if the platform can; concurrent callers share the result. */
  function refresh(account: AccountRow): Promise<AccountRow> {
    const key = keyOf(account);
    const running = refreshing.get(key);
    // It may refresh another account of the grant, which renews this one too.
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
    // Another process may have renewed it before our lease: its refresh token is the live one.
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
    // Stored before use: a lost single-use refresh token cannot be recovered.
    const stored = await keep(account, () =>
      store.write(async (tx) => {
        const others = account.grant_id === null ? [] : await leasedAccounts(tx.db, account, token);
        const changed = changedPart(openSession(sealer, account), session);
        // Sessions of another platform have their own form and token.
        const alike = others.filter(({ id, platform }) => id !== account.id && platform === account.platform);
        const renewed = alike.map((other) => withPart(other, changed));
        const kept = await storeSessions(tx, token, [own, ...renewed], patch);
        await releaseAccount(tx.db, account, token);
        return kept.includes(account.id);
      }),
    );
    // Reconnected meanwhile: the session of that connection is the live one.
    return stored ? { ...account, ...patch, session: own.session } : await reloadAccount(store, account.id);
  }

  /** Applies the changes of a refresh to another account of the grant. */
  function withPart(account: AccountRow, changed: Session) {
    const session = { ...openSession(sealer, account), ...changed };
    return { id: account.id, session: sealSession(sealer, account.id, session) };
  }

  /** Stores a renewed session however long it takes, but limits how long requests wait for it. */
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
