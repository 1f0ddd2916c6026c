import { type AccountRow, findAccount, listAccounts } from '#db/access/accounts.ts';
import { findBrand } from '#db/access/brands.ts';
import { type ConnectRow, endConnect, findConnect, findEnded, useConnect } from '#db/access/connects.ts';
import { isInviteOpen, loadInvite } from '#db/access/invites.ts';
import { currentWorkspace } from '#db/access/users.ts';
import type { Network } from '#db/schema/database.ts';
import { authorityOver, type Authority, type Workspace } from '#kernel/authority.ts';
import { fail, type ErrorCode } from '#kernel/errors.ts';
import { isPlatform } from '#kernel/platforms.ts';
import { sha256 } from '#kernel/sign.ts';
import type { Connected } from '#platforms/connect.ts';
import { keyLoginOf, loginsOf } from '#platforms/lookup.ts';
import type { Platform } from '#platforms/platform.ts';
import { credentialsRefusal } from '#platforms/refusal.ts';
import { stringsOf } from './admission.ts';
import { type ConnectRequest, makeBegin } from './begin.ts';
import { makeInvited } from './invited.ts';
import { audienceOf } from './link.ts';
import { begunIn, type ConnectionDeps, type PendingConnection } from './pending.ts';
import { connectResult } from './present-account.ts';

export type Connecting = Awaited<ReturnType<ReturnType<typeof makeConnect>['start']>>;

type EndedConnection = Readonly<{ row: ConnectRow; code: ErrorCode }>;

function makePendingConnections(deps: ConnectionDeps) {
  const { store, clock, platforms, link, writeLogin } = deps;
  const logIn = makeKeyLogin(deps);

  /** The brand, account and invite that a connection was begun for; undefined if one of them is gone. */
  async function purposeOf(row: ConnectRow) {
    const authority = authorityOver(row.workspace_id);
    const brand = row.brand_id === null ? undefined : await findBrand(store.db, authority, row.brand_id);
    const account = row.account_id === null ? undefined : await findAccount(store.db, authority, row.account_id);
    const invite = row.invite_id === null ? undefined : await loadInvite(store.db, row.invite_id);
    const isInvited = invite !== undefined && isInviteOpen(invite, clock.now());
    const isGone =
      (row.brand_id !== null && !brand) ||
      (row.account_id !== null && !account) ||
      (row.invite_id !== null && !isInvited);
    return isGone ? undefined : { brand, account, invite };
  }

  return {
    /** The pending connection with this state; undefined if the state is unknown, used or expired. */
    async pending(slug: string, state: string): Promise<PendingConnection | undefined> {
      const row = await findConnect(store.db, sha256(state), clock.now());
      const platform = isPlatform(slug) ? platforms.get(slug) : undefined;
      if (!row || !platform || row.platform !== slug) return undefined;
      const purpose = await purposeOf(row);
      if (purpose === undefined) {
        await store.write((tx) => endConnect(tx.db, row.id, clock.now()));
        return undefined;
      }
      const { brand, account, invite } = purpose;
      const { form } = keyLoginOf(platform)?.direct ?? {};
      const invitedUntil = invite?.expires_at;
      return { row, platform, form, brandName: brand?.name, username: account?.username, invitedUntil };
    },

    /** How a connection ended or expired, so that its client can be notified. */
    async expired(slug: string, state: string): Promise<EndedConnection | undefined> {
      const now = clock.now();
      const row = await findEnded(store.db, sha256(state), now);
      if (row?.platform !== slug) return undefined;
      const invite = row.invite_id === null ? undefined : await loadInvite(store.db, row.invite_id);
      if (invite === undefined || isInviteOpen(invite, now)) return { row, code: 'auth.state_mismatch' };
      const isUnused = invite.used_at === null && invite.revoked_at === null;
      return { row, code: isUnused ? 'invite.expired' : 'invite.invalid' };
    },

    /** Finishes a connection with our form; after a refused login the state stays valid, so a typo can be corrected. */
    async submit({ row, platform }: PendingConnection, fields: Readonly<Record<string, string>>): Promise<AccountRow> {
      const keyed = keyLoginOf(platform) ?? fail('auth.state_mismatch');
      const { direct } = keyed;
      const missing = direct.required.find((name) => !fields[name]);
      if (missing !== undefined)
        fail('validation.field_required', { message: `${missing} is required.`, meta: { field: missing } });
      const network = direct.namesServer?.(fields) ? 'real' : row.network;
      const place = { workspace: { id: row.workspace_id }, brand: row.brand_id ?? undefined };
      const connected = await logIn(keyed, network, fields, place);
      const login = { platform: platform.slug, network, ...withoutApp(keyed.login), connected };
      return writeLogin(login, async (tx) => {
        const workspace = await currentWorkspace(tx.db, row.workspace_id);
        if (!workspace || !(await useConnect(tx.db, row.id, clock.now()))) fail('auth.state_mismatch');
        const { brand_id, account_id } = row;
        return link(tx, {
          ...login,
          workspace,
          brandId: brand_id ?? undefined,
          accountId: account_id ?? undefined,
          inviteId: row.invite_id ?? undefined,
          audience: begunIn(deps.sealer, row).audience ?? undefined,
        });
      });
    },

    /** Gives up a pending connection; false if it has already ended. */
    abandon: ({ row }: PendingConnection) => store.write((tx) => useConnect(tx.db, row.id, clock.now())),
  };
}

/** Connects accounts: directly with credentials, or through a form or consent page. */
export function makeConnect(deps: ConnectionDeps) {
  const { store, admission, link } = deps;
  const begin = makeBegin(deps);
  const logIn = makeKeyLogin(deps);

  async function start(authority: Authority, workspace: Workspace, request: ConnectRequest) {
    const platform = await admission.admit(authority, workspace, request);
    const fields = stringsOf(platform, request.metadata);
    const redirect_uri = await checkedRedirect(workspace, request.redirect_uri, fields);
    const network = admission.networkOf(platform, fields);
    const loginAsked = admission.loginNamed(platform, fields);
    const keyed = keyLoginOf(platform);
    if (keyed?.direct.required.every((name) => fields[name])) {
      const { brandId, accountId } = request;
      const connected = await logIn(keyed, network, fields, { workspace, brand: brandId });
      return store.write(async (tx) => {
        const account = await link(tx, {
          workspace,
          platform: platform.slug,
          network,
          brandId,
          accountId,
          inviteId: undefined,
          audience: audienceOf(authority),
          ...withoutApp(keyed.login),
          connected,
        });
        const result = { status: 201, body: connectResult(account) };
        await tx.key?.record(result);
        return result;
      });
    }
    if (request.brandId === undefined && !(await hasAccount(authority, platform)))
      await admission.refuseBrandLimit(workspace);
    const metadata = admission.metadataFor(platform, fields);
    return begin(workspace, platform, network, {
      ...request,
      redirect_uri,
      metadata,
      login: loginAsked,
      // Anyone who opens the URL sees our page, but a redirect to a client reaches only the caller.
      audience: redirect_uri === undefined ? undefined : audienceOf(authority),
    });
  }

  /** Clients of the hosted product may also send the address in `metadata`; `redirect_uri` takes precedence. */
  function checkedRedirect(workspace: Workspace, given: string | undefined, fields: Readonly<Record<string, string>>) {
    if (given !== undefined) return admission.checkRedirect(workspace, given);
    return admission.checkRedirect(workspace, fields['redirect_uri'], 'metadata.redirect_uri');
  }

  /** Whether an account of the platform exists, which the login may belong to; then no new brand is needed. */
  const hasAccount = async (authority: Authority, { slug }: Platform) =>
    (await listAccounts(store.db, authority, { platform: slug })).length > 0;

  return Object.freeze({
    ...makePendingConnections(deps),
    invited: makeInvited(deps, begin),
    start,

    /** Reconnects an existing account (GET /oauth/url). */
    async restart(workspace: Workspace, account: AccountRow, request: Omit<ConnectRequest, 'platform' | 'metadata'>) {
      const platform = admission.connector(account.platform, 'platform');
      const redirect_uri = await admission.checkRedirect(workspace, request.redirect_uri);
      const logins = loginsOf(platform);
      return begin(workspace, platform, account.network, {
        ...request,
        redirect_uri,
        metadata: {},
        // The login for accounts of this kind.
        login: account.kind !== null && logins.has(account.kind) ? account.kind : platform.slug,
        audience: undefined,
        brandId: account.brand_id,
        accountId: account.id,
      });
    },
  });
}

/** Logging in with credentials needs no app. */
const withoutApp = ({ connect }: Platform) => ({ appId: null, byKey: connect.kind === 'oauth' });

/** Logs in with credentials; a refusal of the platform becomes an API error. */
function makeKeyLogin({ calling, admission }: ConnectionDeps) {
  return async function logIn(
    { login, direct }: NonNullable<ReturnType<typeof keyLoginOf>>,
    network: Network,
    fields: Readonly<Record<string, string>>,
    { workspace, brand }: Readonly<{ workspace: Pick<Workspace, 'id'>; brand: string | undefined }>,
  ): Promise<Connected> {
    const app = login.connect === direct ? undefined : await admission.chooseApp(login, network, workspace, brand);
    try {
      return await direct.login(calling.bare(login, network), fields, app?.client);
    } catch (error) {
      throw credentialsRefusal(login.slug, error);
    }
  };
}
