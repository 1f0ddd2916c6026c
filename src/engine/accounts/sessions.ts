import {
  accountsToRefresh,
  flagAccount,
  leaseAccount,
  loadAccount,
  noAccount,
  releaseAccount,
  storeSession,
  updateAccount,
  type AccountRow,
} from '../../../db/access/accounts.ts';
import { NEVER, type Network } from '../../../db/schema/database.ts';
import { sealedPlace } from '../../../db/schema/sealed.ts';
import type { Store } from '../../../db/store/store.ts';
import type { Tx } from '../../../db/store/tx.ts';
import { accountData, accountEvent } from '../../call/accounts.ts';
import type { Sessions, SessionStore } from '../../call/ports.ts';
import { sleep, wireTime, type Clock } from '../../kernel/clock.ts';
import { fail, StoreUnavailable } from '../../kernel/errors.ts';
import { randomHex } from '../../kernel/ids.ts';
import type { Log } from '../../kernel/log.ts';
import type { PlatformSlug } from '../../kernel/platforms.ts';
import type { Sealer } from '../../kernel/seal.ts';
import type { AccountCall, Session } from '../../platforms/call.ts';
import type { OAuthClient, Renewed } from '../../platforms/connect.ts';
import { PlatformError } from '../../platforms/errors.ts';
import { connectorOf, type Platforms } from '../../platforms/lookup.ts';
import { insist } from '../jobs/insist.ts';
import { noClient } from './admission.ts';
import type { Calling } from './calling.ts';

/** How long ending a grant may take; a person waits for it. */
const REVOKE_MS = 5_000;
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
  clientOf(platform: PlatformSlug, network: Network): OAuthClient | undefined;
}>;

/** Seals a session for its account. */
export function sealSession(sealer: Sealer, accountId: string, session: Session): string {
  return sealer.seal(JSON.stringify(session), sealedPlace('accounts', accountId));
}

/** When a session that ends at `expiresAt` is to be refreshed. */
export function refreshAt(now: number, expiresAt: number | undefined): number {
  return expiresAt === undefined ? NEVER : now + Math.floor(Math.max(0, expiresAt - now) * LIFE);
}

/** Turns an account to reconnect_required, with its event, once. */
export async function disconnect(
  tx: Tx,
  account: AccountRow,
  reason: 'access_revoked' | 'all_pages_removed',
  why: string,
  now: number,
): Promise<void> {
  if (!(await flagAccount(tx.db, account, why, now))) return;
  const event = accountEvent(account, 'account.disconnected', {
    data: accountData(account, {
      reason,
      reconnect_required: true,
      reconnect_reason: why,
      disconnected_at: wireTime(now),
    }),
    resourceId: account.id,
    summary: `${account.platform} @${account.username} must be connected again`,
    failed: true,
  });
  await tx.emit(event);
}

/** Sessions of accounts: opened, refreshed under a lease, and flagged when the platform ends them. */
export function makeSessions({ store, clock, log, sealer, calling, platforms, clientOf }: SessionsDeps) {
  /** Refreshes under way in this process; a second caller waits for the first one's result. */
  const refreshing = new Map<string, Promise<AccountRow>>();
  /** Accounts whose renewed session is still to be stored though nobody waits for it any more, and why. */
  const unstored = new Map<string, StoreUnavailable>();

  const open = (account: AccountRow) =>
    JSON.parse(sealer.open(account.session, sealedPlace('accounts', account.id))) as Session;

  function acting(account: AccountRow): AccountCall {
    return { ...calling.bare(connectorOf(platforms, account.platform), account.network), session: open(account) };
  }

  async function reload(id: string): Promise<AccountRow> {
    return (await loadAccount(store.db, id)) ?? noAccount(id);
  }

  async function use<T>(account: AccountRow, act: (acting: AccountCall) => Promise<T>): Promise<T> {
    let current = await reload(account.id);
    if (current.status !== 'active') fail('account.reconnection_required', { meta: { id: account.id } });
    if (current.refresh_at <= clock.now()) current = await refreshAhead(current);
    try {
      return await act(acting(current));
    } catch (error) {
      if (!(error instanceof PlatformError) || error.reason !== 'auth') throw error;
      return await afterRefusal(current, error, act);
    }
  }

  /** A refresh ahead of need that does not work out is no reason to leave a session unused that is still good. */
  async function refreshAhead(account: AccountRow): Promise<AccountRow> {
    try {
      return await refresh(account);
    } catch (error) {
      if (!(error instanceof PlatformError) || error.reason === 'auth') throw error;
      log.info({ account_id: account.id, platform: account.platform, error }, 'session not refreshed ahead of time');
      return account;
    }
  }

  /** The platform refused the token: one refresh, one more try, and then the account must be connected again. */
  async function afterRefusal<T>(
    account: AccountRow,
    refused: PlatformError,
    act: (acting: AccountCall) => Promise<T>,
  ): Promise<T> {
    if (!canRefresh(account)) return end(account, refused);
    const renewed = await refresh(account);
    try {
      return await act(acting(renewed));
    } catch (error) {
      if (error instanceof PlatformError && error.reason === 'auth') return end(renewed, error);
      throw error;
    }
  }

  async function end(account: AccountRow, error: PlatformError): Promise<never> {
    await store.write((tx) => disconnect(tx, account, 'access_revoked', error.message, clock.now()));
    throw error;
  }

  function canRefresh({ platform }: AccountRow): boolean {
    return platforms.get(platform)?.connect.refresh !== undefined;
  }

  function refresh(account: AccountRow): Promise<AccountRow> {
    const running = refreshing.get(account.id);
    if (running) return running;
    const away = unstored.get(account.id);
    if (away) return Promise.reject(away);
    const started = refreshOnce(account).finally(() => refreshing.delete(account.id));
    refreshing.set(account.id, started);
    return started;
  }

  async function refreshOnce(seen: AccountRow): Promise<AccountRow> {
    if (!canRefresh(seen)) return seen;
    const token = randomHex(16);
    for (;;) {
      const now = clock.now();
      if (await store.write((tx) => leaseAccount(tx.db, seen.id, token, now, now + leaseMs(calling.deadlineMs)))) break;
      const current = await reload(seen.id);
      if (current.session !== seen.session) return current;
      await sleep(clock, LOOK_MS);
    }
    // Another process may have renewed it between our reading and our lease: its refresh token is the live one.
    const account = await reload(seen.id);
    if (account.session !== seen.session) {
      await store.write((tx) => releaseAccount(tx.db, account.id, token));
      return account;
    }
    return renew(account, token);
  }

  async function renew(account: AccountRow, token: string): Promise<AccountRow> {
    const { session, expiresAt } = await askOrRelease(account, token);
    const now = clock.now();
    const patch = {
      session: sealSession(sealer, account.id, session),
      refresh_at: refreshAt(now, expiresAt),
      updated_at: now,
    };
    // Stored before it is used: a single-use refresh token that is lost is gone for good (rulings 3.6).
    const stored = await keep(account.id, () => store.write((tx) => storeSession(tx.db, account.id, token, patch)));
    // Connected again meanwhile: the session of that connection is the live one.
    return stored ? { ...account, ...patch } : await reload(account.id);
  }

  /** Stores a renewed session however long that takes, but lets requests wait only so long. */
  async function keep(id: string, write: () => Promise<boolean>): Promise<boolean> {
    try {
      return await insist(clock, write, KEEP_MS);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      unstored.set(id, error);
      void insist(clock, write)
        .catch((failed: unknown) => log.error({ account_id: id, error: failed }, 'renewed session not stored'))
        .finally(() => unstored.delete(id));
      throw error;
    }
  }

  async function askOrRelease(account: AccountRow, token: string): Promise<Renewed> {
    try {
      return await askTwice(account);
    } catch (error) {
      // Later, or the accounts of a platform that is down would be asked for all the time, and before all others.
      await store.write((tx) => releaseAccount(tx.db, account.id, token, clock.now() + RETRY_MS));
      if (error instanceof PlatformError && error.kind === 'refused' && error.reason === 'auth')
        return end(account, error);
      throw error;
    }
  }

  /** Refreshes; an answer that got lost is asked for once more, as platforms accept the old token for a while. */
  async function askTwice(account: AccountRow): Promise<Renewed> {
    try {
      return await ask(account);
    } catch (error) {
      if (!(error instanceof PlatformError) || error.kind !== 'unknown') throw error;
      log.info({ account_id: account.id, platform: account.platform, error }, 'refresh answer lost, asking again');
      return ask(account);
    }
  }

  async function ask(account: AccountRow): Promise<Renewed> {
    const { connect } = connectorOf(platforms, account.platform);
    if (connect.kind === 'direct') return connect.refresh!(acting(account));
    return connect.refresh!(acting(account), clientOf(account.platform, account.network) ?? noClient(account.platform));
  }

  return Object.freeze({
    hosts: calling.hosts,
    use,
    async put(tx: Tx, account: AccountRow, seen: Session, fresh: Session): Promise<boolean> {
      // A refresh is under way, and made of the session as it was: it would take away what is new in this one.
      if (account.lease_token !== null && account.lease_until > clock.now()) return false;
      const text = JSON.stringify(fresh);
      const [kept, was] = [open(account), seen].map((session) => JSON.stringify(session));
      if (kept !== was) return false;
      if (kept === text) return true;
      const session = sealSession(sealer, account.id, fresh);
      return updateAccount(tx.db, account.id, { session, updated_at: clock.now() });
    },
    /** Refreshes sessions whose time has come, ahead of their end: the job `refresh_sessions`. */
    async refreshDue(): Promise<number> {
      const due = await accountsToRefresh(store.db, clock.now(), 16);
      const one = async ({ id }: { id: string }) => {
        const account = await loadAccount(store.db, id);
        await (account ? refresh(account) : Promise.resolve()).catch((error: unknown) =>
          log.warn({ account_id: id, error }, 'session not refreshed'),
        );
      };
      // All at once: a platform that does not answer must not keep the others waiting.
      await Promise.all(due.map(one));
      return due.length;
    },
    /** Ends the grant on the platform, best effort: a failure never keeps an account from going. */
    async revoke(account: AccountRow): Promise<boolean> {
      const { connect } = connectorOf(platforms, account.platform);
      try {
        const { http, ...rest } = acting(account);
        const call: AccountCall = { ...rest, http: (request) => http({ ...request, deadlineMs: REVOKE_MS }) };
        if (connect.kind === 'direct') {
          if (!connect.revoke) return false;
          await connect.revoke(call);
          return true;
        }
        const client = clientOf(account.platform, account.network);
        if (!connect.revoke || !client) return false;
        await connect.revoke(call, client);
        return true;
      } catch (error) {
        log.info({ account_id: account.id, platform: account.platform, error }, 'grant not revoked on the platform');
        return false;
      }
    },
  }) satisfies Sessions & SessionStore;
}

export type AccountSessions = ReturnType<typeof makeSessions>;
