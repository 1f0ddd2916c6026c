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

/** Two questions to the platform, each with its own deadline, and time to write the answer down. */
const leaseMs = (deadlineMs: number) => 2 * deadlineMs + 15_000;
/** How long to wait before looking again whether another's refresh has ended. */
const LOOK_MS = 250;
/** How long after a refresh that failed another one is tried ahead of need. */
const RETRY_MS = 60_000;
/** How long requests wait for a renewed session to be stored while the store is unavailable. */
const KEEP_MS = 20_000;
/** Sessions are refreshed when this part of their life is over. */
const LIFE = 0.8;

export type SessionsDeps = Readonly<{
  store: Store;
  clock: Clock;
  log: Log;
  sealer: Sealer;
  calling: Calling;
  platforms: Platforms;
  apps: Pick<AppFinder, 'find'>;
}>;

type CallOf = (account: AccountRow) => AccountCall;

/** What refreshes the session of an account and ends its grant: the way in which it was connected. */
export function connectOf({ connect }: Platform, { by_key }: Pick<AccountRow, 'by_key'>): DirectConnect | OAuthConnect {
  return (by_key === 1 && directOf(connect)) || connect;
}

/** Seals a session for its account. */
export function sealSession(sealer: Sealer, accountId: string, session: Session): string {
  return sealJson(sealer, session, 'accounts', accountId);
}

/** The session of an account. */
export function openSession(sealer: Sealer, { id, session }: Pick<AccountRow, 'id' | 'session'>): Session {
  return openJson(sealer, session, 'accounts', id) as Session;
}

/** What is refreshed at once: an account, or all of its platform that share a grant. */
function keyOf({ id, network, platform, grant_id }: AccountRow): string {
  return grant_id === null ? id : `${network} ${platform} ${grant_id}`;
}

/** The members of a renewed session that are not as they were. */
function changedPart(before: Session, after: Session): Session {
  const isChanged = ([name, value]: [string, unknown]) => JSON.stringify(value) !== JSON.stringify(before[name]);
  return Object.fromEntries(Object.entries(after).filter(isChanged));
}

/** When a session that ends at `expiresAt` is to be refreshed. */
export function refreshAt(now: number, expiresAt: number | undefined): number {
  return expiresAt === undefined ? NEVER : now + Math.floor(Math.max(0, expiresAt - now) * LIFE);
}

/** An account as it is stored now. */
export async function reloadAccount(store: Store, id: string): Promise<AccountRow> {
  return (await loadAccount(store.db, id)) ?? noAccount(id);
}

/** Makes the function that asks the platform for a renewed session; a failure gives the lease back. */
function makeRenewal({ store, clock, log, platforms, apps }: SessionsDeps, callOf: CallOf) {
  /** Refreshes; an answer that got lost is asked for once more, as platforms accept the old token for a while. */
  async function renewTwice(account: AccountRow): Promise<Renewed> {
    try {
      return await renew(account);
    } catch (error) {
      if (!(error instanceof PlatformError) || error.kind !== 'unknown') throw error;
      log.info({ account_id: account.id, platform: account.platform, error }, 'refresh answer lost, asking again');
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
      return await renewTwice(account);
    } catch (error) {
      const over = error instanceof PlatformError && error.kind === 'refused' && error.reason === 'auth';
      const now = clock.now();
      await store.write(async (tx) => {
        // The whole grant is over, but not for an account that was connected again meanwhile.
        const ended = over ? await leasedAccounts(tx.db, account, token) : [];
        // Later, or the accounts of a platform that is down would be asked for all the time, and before all others.
        await releaseAccount(tx.db, account, token, now + RETRY_MS);
        const ids = ended.map(({ id }) => id);
        if (error instanceof PlatformError) await disconnectAll(tx, ids, error.message, now);
      });
      throw error;
    }
  };
}

/** Refreshing sessions: once at a time for an account or a grant, in all processes together. */
export function makeRefresh(deps: SessionsDeps, callOf: CallOf) {
  const { store, clock, log, sealer, calling, platforms } = deps;
  const renewOrRelease = makeRenewal(deps, callOf);
  /** Refreshes under way in this process, by `keyOf`; a second caller waits for the first one's result. */
  const refreshing = new Map<string, Promise<AccountRow>>();
  /** By `keyOf`: accounts whose renewed session is still to be stored though nobody waits for it any more, and why. */
  const unstored = new Map<string, StoreUnavailable>();

  function canRefresh(account: AccountRow): boolean {
    const platform = platformFor(platforms, account);
    return platform !== undefined && connectOf(platform, account).refresh !== undefined;
  }

  /** Renews a session where the platform can; callers at the same time share one result. */
  function refresh(account: AccountRow): Promise<AccountRow> {
    const key = keyOf(account);
    const running = refreshing.get(key);
    // Of another account of the grant: by then the session of this one is renewed too.
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
    // Another process may have renewed it between our reading and our lease: its refresh token is the live one.
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
    // Stored before it is used: a single-use refresh token that is lost is gone for good.
    const stored = await keep(account, () =>
      store.write(async (tx) => {
        const others = account.grant_id === null ? [] : await leasedAccounts(tx.db, account, token);
        const changed = changedPart(openSession(sealer, account), session);
        // Sessions of another platform have a shape and a token of their own.
        const alike = others.filter(({ id, platform }) => id !== account.id && platform === account.platform);
        const renewed = alike.map((other) => withPart(other, changed));
        const kept = await storeSessions(tx, token, [own, ...renewed], patch);
        await releaseAccount(tx.db, account, token);
        return kept.includes(account.id);
      }),
    );
    // Connected again meanwhile: the session of that connection is the live one.
    return stored ? { ...account, ...patch, session: own.session } : await reloadAccount(store, account.id);
  }

  /** The session of another account of the same grant, with what the refresh changed in the one that it was made of. */
  function withPart(account: AccountRow, changed: Session) {
    const session = { ...openSession(sealer, account), ...changed };
    return { id: account.id, session: sealSession(sealer, account.id, session) };
  }

  /** Stores a renewed session however long that takes, but lets requests wait only so long. */
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
