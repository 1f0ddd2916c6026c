import {
  accountNamed,
  deleteAccount,
  holdAccount,
  listAccounts,
  noAccount,
  type AccountRow,
} from '#db/access/accounts.ts';
import { findBrand } from '#db/access/brands.ts';
import { disconnectedEntry } from '#db/posts/logs.ts';
import { countScheduled } from '#db/posts/targets.ts';
import type { Tx } from '#db/store/tx.ts';
import type { AppFinder, QuotaCounter } from '#call/ports.ts';
import type { Authority, Workspace } from '#kernel/authority.ts';
import { ApiError, fail, noSuch, type ErrorCode } from '#kernel/errors.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import { makeAdmission, type AdmissionDeps } from './admission.ts';
import type { ConnectRequest } from './begin.ts';
import { makeConnect } from './connect.ts';
import { linkAccount, type Link, type LinkDeps } from './link.ts';
import { type ExchangeRequest, makeOAuthCallback } from './oauth-callback.ts';
import type { Pages } from './pages.ts';
import type { ConnectionDeps } from './pending.ts';
import { makePlatformInfo } from './platform-info.ts';
import { presentAccount } from './present-account.ts';
import type { AccountSessions } from './sessions.ts';
import { makeSync, type SyncDeps } from './sync.ts';

const INVITE_OVER: ReadonlySet<ErrorCode> = new Set(['invite.invalid', 'invite.expired']);

export type AccountsDeps = AdmissionDeps &
  Omit<ConnectionDeps, 'admission' | 'link' | 'writeLogin'> &
  SyncDeps &
  LinkDeps &
  Readonly<{
    sessions: AccountSessions;
    apps: AppFinder;
    quotas: Pick<QuotaCounter, 'left'>;
    pages: Pick<Pages, 'list' | 'update'>;
    /** Runs in the transaction that connects an account, for example to enqueue its jobs. */
    onConnected(tx: Tx, account: AccountRow, connected: Link['connected']): Promise<void>;
  }>;

export function makeAccounts(deps: AccountsDeps) {
  const { store, sessions, clock, platforms } = deps;
  const within: ConnectionDeps = {
    ...deps,
    admission: makeAdmission(deps),
    async link(tx, link) {
      const account = await linkAccount(tx, deps, link, clock.now());
      await deps.onConnected(tx, account, link.connected);
      return account;
    },
    async writeLogin(login, write) {
      try {
        return await store.write(write);
      } catch (error) {
        if (error instanceof ApiError && INVITE_OVER.has(error.code)) await sessions.drop(login);
        throw error;
      }
    },
  };
  const callback = makeOAuthCallback(within);
  const { finishCallback, consents, openChoice, pick, forgo } = callback;
  const connect = { ...makeConnect(within), finishCallback, consents, openChoice, pick, forgo };

  return Object.freeze({
    connect,
    ...makePlatformInfo(deps),
    pages: deps.pages,
    sync: makeSync(deps),

    async list(
      authority: Authority,
      filter: Readonly<{ brandId?: string | undefined; platform?: PlatformSlug | undefined }>,
    ) {
      if (filter.brandId !== undefined && !(await findBrand(store.db, authority, filter.brandId))) {
        noSuch('brand', filter.brandId);
      }
      return (await listAccounts(store.db, authority, filter)).map((row) => presentAccount(row, platforms));
    },

    start: (authority: Authority, workspace: Workspace, request: ConnectRequest) =>
      connect.start(authority, workspace, request),

    exchange: (authority: Authority, workspace: Workspace, request: ExchangeRequest) =>
      callback.exchange(authority, workspace, request),
    choice: callback.choice,
    choose: callback.choose,

    /** The URL to reconnect an account, or to connect a platform for the first time (GET /oauth/url). */
    async oauthUrl(
      authority: Authority,
      workspace: Workspace,
      request: Omit<ConnectRequest, 'metadata' | 'platform'> & Readonly<{ platform: string | undefined }>,
    ) {
      const { platform, accountId, ...rest } = request;
      if (accountId === undefined) {
        if (platform === undefined)
          fail('validation.field_required', { message: 'Send account_id or platform.', meta: { field: 'account_id' } });
        const started = await connect.start(authority, workspace, { ...rest, platform, metadata: {} });
        return started.body;
      }
      const account = await accountNamed(store.db, authority, accountId);
      if (platform !== undefined && platform !== account.platform) {
        fail('validation.field_invalid', {
          message: `This account is on ${account.platform}.`,
          meta: { field: 'platform' },
        });
      }
      if (rest.brandId !== undefined && rest.brandId !== account.brand_id) {
        fail('validation.field_invalid', {
          message: 'This account belongs to another brand.',
          meta: { field: 'brand_id' },
        });
      }
      return (await connect.restart(workspace, account, rest)).body;
    },

    /** Removes an account and its tokens, and tries to end its grant on the platform. Posts keep their history. */
    async disconnect(authority: Authority, id: string) {
      await accountNamed(store.db, authority, id);
      const scheduled = await countScheduled(store.db, [id]);
      const account = await store.write(async (tx) => {
        // Loaded again: the grant may have been renewed since, and the current one has to be ended.
        const present = await holdAccount(tx.db, tx.dialect, id);
        if (!present) return undefined;
        await deleteAccount(tx.db, id);
        await tx.enqueue({ kind: 'purge_account', key: id, runAt: clock.now() });
        await tx.log(disconnectedEntry(present));
        return present;
      });
      if (!account) noAccount(id);
      // The account is removed first, since ending the grant may be slow or fail and its token is no longer used.
      const revoked = await sessions.revoke(account);
      return { success: true, ok: true, id, account_id: id, revoked, scheduled_posts: scheduled };
    },
  });
}

export type Accounts = ReturnType<typeof makeAccounts>;
