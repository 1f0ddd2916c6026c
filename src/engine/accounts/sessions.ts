import {
  accountsOfGrant,
  accountsToRefresh,
  findLinked,
  hasSibling,
  loadAccount,
  updateAccount,
  type AccountRow,
} from '#db/access/accounts.ts';
import { endSubscription, takeSubscription } from '#db/inbox/subscriptions.ts';
import type { Tx } from '#db/store/tx.ts';
import type { EndPushes, ReadyRevoke, Sessions, SessionStore } from '#call/ports.ts';
import { SECOND } from '#kernel/clock.ts';
import { fail } from '#kernel/errors.ts';
import { endRehearsal } from '#kernel/effects/rehearsal.ts';
import type { AccountCall, Session } from '#platforms/call.ts';
import type { OAuthClient } from '#platforms/connect.ts';
import { PlatformError } from '#platforms/errors.ts';
import { connectorOf } from '#platforms/lookup.ts';
import { disconnect } from './disconnect.ts';
import type { Login } from './link.ts';
import {
  connectOf,
  makeRefresh,
  openSession,
  reloadAccount,
  sealSession,
  type SessionsDeps,
} from './session-refresh.ts';

/** How long ending a grant may take, since a person is waiting for it. */
const REVOKE_MS = 5_000;

/** How long a removed account's address still confirms to the platform that its webhooks should end. */
const ASKED_BACK_MS = 86_400_000;

/** The fields that identify the app and the way by which a grant was given. */
type Granted = Pick<AccountRow, 'platform' | 'kind' | 'network' | 'app_id' | 'by_key'>;

/** Ends subscriptions and then grants of removed accounts; a failure never prevents the removal. */
function makeRevoke(
  { store, clock, log, calling, platforms, apps }: SessionsDeps,
  callOf: (account: AccountRow) => AccountCall,
) {
  const clientOf = (granted: Granted) => apps.find(connectorOf(platforms, granted), granted);

  const inTime = ({ http, ...rest }: AccountCall): AccountCall => ({
    ...rest,
    http: (request) => http({ ...request, deadlineMs: REVOKE_MS }),
  });

  async function unsubscribe(account: AccountRow, known?: OAuthClient): Promise<void> {
    const { push } = connectorOf(platforms, account);
    if (push?.subscribe === undefined) return;
    try {
      const call = inTime(callOf(account));
      const needsHandshake = push.scope === 'account' && push.handshake !== undefined;
      const subscription = await store.write((tx) =>
        needsHandshake
          ? endSubscription(tx.db, account.id, clock.now() + ASKED_BACK_MS)
          : takeSubscription(tx.db, account.id),
      );
      if (!subscription) return;
      const client = known ?? (await clientOf(account));
      await push.unsubscribe?.(call, subscription.kept, await hasSibling(store.db, account), client);
    } catch (error) {
      log.info({ account_id: account.id, platform: account.platform, error }, 'pushes not ended on the platform');
    }
  }

  /** Ends a grant that no account uses any more, on the platform. */
  async function endGrant(granted: Granted, call: AccountCall, known?: OAuthClient): Promise<boolean> {
    const platform = connectorOf(platforms, granted);
    const connect = connectOf(platform, granted);
    if (connect.kind === 'direct') {
      if (!connect.revoke) return false;
      await connect.revoke(call);
      return true;
    }
    const client = known ?? (await clientOf(granted));
    if (!connect.revoke || !client) return false;
    await connect.revoke(call, client);
    return true;
  }

  const endPushes: EndPushes = async (accounts) => {
    const ended = accounts.filter((account) => connectorOf(platforms, account).push?.endedByApp);
    await Promise.all(ended.map((account) => unsubscribe(account)));
  };

  async function revoke(account: AccountRow, isLast = true, known?: OAuthClient): Promise<boolean> {
    try {
      await unsubscribe(account, known);
      if (!isLast || (await hasSibling(store.db, account))) return false;
      return await endGrant(account, inTime(callOf(account)), known);
    } catch (error) {
      log.info({ account_id: account.id, platform: account.platform, error }, 'the platform did not revoke a grant');
      return false;
    }
  }

  /** Ends the grant of a login that was not stored as an account, unless another account uses it. */
  async function drop({ platform, network, appId, byKey, connected }: Login): Promise<void> {
    const { profile, session, grant: grant_id = null, kind = null } = connected;
    const granted = { platform, network, kind, app_id: appId, by_key: byKey ? 1 : 0 } as const;
    try {
      if (await findLinked(store.db, platform, network, profile.platform_user_id)) return;
      if (grant_id !== null && (await accountsOfGrant(store.db, { platform, network, grant_id })).length > 0) return;
      await endGrant(granted, inTime({ ...calling.bare(connectorOf(platforms, granted), network), session }));
    } catch (error) {
      log.info({ platform, error }, 'the platform did not revoke the grant of a login');
    }
  }

  async function clientIfAny(account: AccountRow): Promise<OAuthClient | undefined> {
    try {
      return await clientOf(account);
    } catch (error) {
      log.info(
        { account_id: account.id, platform: account.platform, error },
        'the app of an account is unavailable, so its grant was not revoked',
      );
      return undefined;
    }
  }

  const readyRevoke: ReadyRevoke = async (accounts) => {
    const clients = new Map(await Promise.all(accounts.map(async (one) => [one.id, await clientIfAny(one)] as const)));
    return async (removed) => {
      const grants = Map.groupBy(removed, ({ id, network, grant_id }) =>
        JSON.stringify(grant_id === null ? [id] : [network, grant_id]),
      );
      const all = [...grants.values()].flatMap((shared) => shared.map((one, index) => ({ one, isLast: index === 0 })));
      await Promise.all(all.map(({ one, isLast }) => revoke(one, isLast, clients.get(one.id))));
    };
  };

  return { revoke, drop, endPushes, readyRevoke };
}

/** Opens sessions of accounts, refreshes them under a lease, and marks accounts whose session has ended. */
export function makeSessions(deps: SessionsDeps) {
  const { store, clock, log, sealer, calling, platforms } = deps;
  const { refresh, canRefresh } = makeRefresh(deps, callOf);

  const ending = makeRevoke(deps, callOf);

  function callOf(account: AccountRow): AccountCall {
    const bare = calling.bare(connectorOf(platforms, account), account.network, account);
    return { ...bare, session: openSession(sealer, account) };
  }

  async function use<T>(account: AccountRow, act: (call: AccountCall) => Promise<T>, readAt = -Infinity): Promise<T> {
    let current = clock.now() - readAt < SECOND ? account : await reloadAccount(store, account.id);
    if (current.status !== 'active') fail('account.reconnection_required', { meta: { id: account.id } });
    endRehearsal();
    if (current.refresh_at <= clock.now()) current = await refreshAhead(current);
    try {
      return await act(callOf(current));
    } catch (error) {
      if (!(error instanceof PlatformError) || error.reason !== 'auth') throw error;
      return await afterRefusal(current, error, act);
    }
  }

  /** Refreshes early; if that fails, the current session can still be used while it is valid. */
  async function refreshAhead(account: AccountRow): Promise<AccountRow> {
    try {
      return await refresh(account);
    } catch (error) {
      if (!(error instanceof PlatformError) || error.reason === 'auth') throw error;
      log.warn({ account_id: account.id, platform: account.platform, error }, 'session not refreshed ahead of time');
      return account;
    }
  }

  /** After a refused token: refreshes once and retries once; then the account must be connected again. */
  async function afterRefusal<T>(
    account: AccountRow,
    refused: PlatformError,
    act: (call: AccountCall) => Promise<T>,
  ): Promise<T> {
    if (!canRefresh(account)) return end(account, refused);
    const renewed = await refresh(account);
    try {
      return await act(callOf(renewed));
    } catch (error) {
      if (error instanceof PlatformError && error.reason === 'auth') return end(renewed, error);
      throw error;
    }
  }

  async function end(account: AccountRow, error: PlatformError): Promise<never> {
    await store.write((tx) => disconnect(tx, account, 'access_revoked', error.message, clock.now()));
    throw error;
  }

  return Object.freeze({
    hosts: calling.hosts,
    use,
    async put(tx: Tx, account: AccountRow, seen: Session, fresh: Session): Promise<boolean> {
      // A refresh that is running began with the old session and would overwrite this change.
      if (account.lease_token !== null && account.lease_until > clock.now()) return false;
      const text = JSON.stringify(fresh);
      const [kept, was] = [openSession(sealer, account), seen].map((session) => JSON.stringify(session));
      if (kept !== was) return false;
      if (kept === text) return true;
      const session = sealSession(sealer, account.id, fresh);
      return updateAccount(tx.db, account.id, { session, updated_at: clock.now() });
    },
    /** The job `refresh_sessions`: refreshes sessions before they expire. */
    async refreshDue(): Promise<number> {
      const due = await accountsToRefresh(store.db, clock.now(), 16);
      const one = async ({ id }: { id: string }) => {
        const account = await loadAccount(store.db, id);
        // The session may have been refreshed since the list was read.
        if (account === undefined || account.refresh_at > clock.now()) return;
        const { platform } = account;
        await refresh(account).catch((error: unknown) =>
          log.warn({ account_id: id, platform, error }, 'session not refreshed'),
        );
      };
      // All at the same time, so that an unresponsive platform does not delay the others.
      await Promise.all(due.map(one));
      return due.length;
    },
    ...ending,
  }) satisfies Sessions & SessionStore;
}

export type AccountSessions = ReturnType<typeof makeSessions>;
