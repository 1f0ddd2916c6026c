import { type AccountRow, findAccount, listAccounts } from '../../../db/access/accounts.ts';
import { findBrand } from '../../../db/access/brands.ts';
import {
  type ConnectRow,
  endConnect,
  findConnect,
  findEnded,
  insertConnect,
  useConnect,
} from '../../../db/access/connects.ts';
import type { Network } from '../../../db/schema/database.ts';
import { sealJson } from '../../../db/schema/sealed.ts';
import { sandboxMark } from '../../call/accounts.ts';
import { authorityOver, type Authority, type Workspace } from '../../kernel/authority.ts';
import { fail } from '../../kernel/errors.ts';
import { randomHex } from '../../kernel/ids.ts';
import { isPlatform } from '../../kernel/platforms.ts';
import { sha256 } from '../../kernel/sign.ts';
import { directOf, type Connected, type ConnectMetadata, type DirectConnect } from '../../platforms/connect.ts';
import { loginsOf } from '../../platforms/lookup.ts';
import type { Platform } from '../../platforms/platform.ts';
import { platformRefusal } from '../../platforms/refusal.ts';
import { noClient, stringsOf, type Admission } from './admission.ts';
import type { Calling } from './calling.ts';
import { type ConnectionDeps, type Consents, type PendingConnection, stateFor, workspaceOfRow } from './pending.ts';
import { connectResult } from './records.ts';

/** How long an auth_url may be used (rulings 5.13). */
const STATE_MS = 15 * 60_000;

export type ConnectDeps = ConnectionDeps & Readonly<{ admission: Admission }>;

export type ConnectAsk = Readonly<{
  platform: string;
  redirect_uri: string | undefined;
  state: string | undefined;
  brandId: string | undefined;
  metadata: Readonly<Record<string, unknown>>;
  accountId?: string | undefined;
}>;

/** A connection to begin, with the metadata that its connector asks for, and the way to log in if it is settled. */
type Beginning = Omit<ConnectAsk, 'platform' | 'metadata'> &
  Readonly<{ metadata: ConnectMetadata; login: string | undefined }>;

/** What starting a connection answers: the account, or where to send the person to. */
export type Connecting = Awaited<ReturnType<ReturnType<typeof makeConnect>['start']>>;

/** Makes the function that sends a person to our form or to a consent page, and stores the state they come back with. */
function makeBegin({ store, clock, sealer, calling, admission, rootUrl }: ConnectDeps) {
  /** The consents by which a person may log in: each way that has an app, or the one that is asked for. */
  async function consentsOf(
    workspace: Workspace,
    platform: Platform,
    network: Network,
    { brandId, metadata, login: only }: Beginning,
    state: string,
  ) {
    const callback = admission.callbackOf(platform);
    const begun = [...loginsOf(platform)].map(async ([login, kind]) => {
      const { connect } = kind;
      if (connect.kind !== 'oauth' || (only !== undefined && only !== login)) return [];
      const app = await admission.chooseApp(kind, network, workspace, brandId);
      if (app === undefined) return [];
      const ask = { state: stateFor(state, login, platform), callback, client: app.client, metadata };
      const { secrets, url } = await connect.begin(calling.bare(platform, network), ask).catch((error: unknown) => {
        throw platformRefusal(platform.slug, error);
      });
      return [{ login, appId: app.id, secrets: { ...secrets, url } }];
    });
    const consents = (await Promise.all(begun)).flat();
    if (consents.length === 0 && directOf(platform.connect) === undefined) {
      noClient(loginsOf(platform).get(only ?? platform.slug) ?? platform);
    }
    return consents;
  }

  return async function begin(workspace: Workspace, platform: Platform, network: Network, ask: Beginning) {
    const state = randomHex(32);
    const id = sha256(state);
    const { slug } = platform;
    const now = clock.now();
    const { metadata } = ask;
    const consents = await consentsOf(workspace, platform, network, ask, state);
    const url = `${rootUrl}/connect/${slug}/${consents.length > 0 ? 'go' : 'form'}?state=${state}`;
    const own = consents.find(({ login }) => login === slug);
    const others = consents.filter((consent) => consent !== own);
    const logins = Object.fromEntries(others.map(({ login, secrets }) => [login, secrets]));
    const kept: Consents = { ...own?.secrets, ...(others.length > 0 && { logins }) };
    const body = {
      auth_url: url,
      state,
      message: 'Send the user to auth_url to connect the account.',
      metadata: sandboxMark({ network }),
    };
    const begun = { status: 202, body };
    await store.write(async (tx) => {
      await insertConnect(tx.db, {
        id,
        workspace_id: workspace.id,
        platform: slug,
        network,
        brand_id: ask.brandId ?? null,
        account_id: ask.accountId ?? null,
        app_id: own?.appId ?? null,
        metadata,
        redirect_uri: ask.redirect_uri ?? null,
        client_state: ask.state ?? '',
        sealed: sealJson(sealer, kept, 'connects', id),
        created_at: now,
        expires_at: now + STATE_MS,
      });
      await tx.key?.record(begun);
    });
    return begun;
  };
}

/** Connections under way: found by their state, and finished with our form or ended. */
function makePendingConnections({ store, clock, calling, platforms, link }: ConnectDeps) {
  return {
    /** The connection a state stands for; undefined when it is unknown, used or expired. */
    async pending(slug: string, state: string): Promise<PendingConnection | undefined> {
      const row = await findConnect(store.db, sha256(state), clock.now());
      const platform = isPlatform(slug) ? platforms.get(slug) : undefined;
      if (!row || !platform || row.platform !== slug) return undefined;
      const authority = authorityOver(row.workspace_id);
      const brand = row.brand_id === null ? undefined : await findBrand(store.db, authority, row.brand_id);
      const account = row.account_id === null ? undefined : await findAccount(store.db, authority, row.account_id);
      // What it was to be attached to is gone, and so is the connection.
      if ((row.brand_id !== null && !brand) || (row.account_id !== null && !account)) {
        await store.write((tx) => endConnect(tx.db, row.id, clock.now()));
        return undefined;
      }
      const { form } = directOf(platform.connect) ?? {};
      return { row, platform, form, brandName: brand?.name, username: account?.username };
    },

    /** A connection that expired or ended unfinished, so that its client can be informed; undefined when there is none. */
    async expired(slug: string, state: string): Promise<ConnectRow | undefined> {
      const row = await findEnded(store.db, sha256(state), clock.now());
      return row?.platform === slug ? row : undefined;
    },

    /**
     * Finishes a connection with what the person typed into our form. A refused login leaves the state usable,
     * so a mistyped password costs nothing.
     */
    async submit({ row, platform }: PendingConnection, fields: Readonly<Record<string, string>>): Promise<AccountRow> {
      const direct = directOf(platform.connect) ?? fail('auth.state_mismatch');
      const missing = direct.required.find((name) => !fields[name]);
      if (missing !== undefined)
        fail('validation.field_required', { message: `${missing} is required.`, meta: { field: missing } });
      const network = direct.namesServer?.(fields) ? 'real' : row.network;
      const connected = await login(calling, platform, network, direct, fields);
      return store.write(async (tx) => {
        const workspace = await workspaceOfRow(tx.db, row);
        if (!workspace || !(await useConnect(tx.db, row.id, clock.now()))) fail('auth.state_mismatch');
        const { brand_id, account_id } = row;
        return link(tx, {
          workspace,
          platform: platform.slug,
          network,
          brandId: brand_id ?? undefined,
          accountId: account_id ?? undefined,
          ...withoutApp(platform),
          connected,
        });
      });
    },

    /** Ends a connection that the person gave up; false when it had ended already. */
    abandon: ({ row }: PendingConnection) => store.write((tx) => useConnect(tx.db, row.id, clock.now())),
  };
}

/** Connecting accounts: at once with credentials, or by sending a person to a form or a consent page. */
export function makeConnect(deps: ConnectDeps) {
  const { store, calling, admission, link } = deps;
  const begin = makeBegin(deps);

  async function start(authority: Authority, workspace: Workspace, ask: ConnectAsk) {
    const platform = await admission.admit(authority, workspace, ask);
    const fields = stringsOf(ask.metadata);
    const redirect_uri = await checkedRedirect(workspace, ask.redirect_uri, fields);
    const network = admission.networkOf(platform, fields);
    const loginAsked = admission.loginNamed(platform, fields);
    const direct = directOf(platform.connect);
    if (direct?.required.every((name) => fields[name])) {
      const connected = await login(calling, platform, network, direct, fields);
      const { brandId, accountId } = ask;
      return store.write(async (tx) => {
        const account = await link(tx, {
          workspace,
          platform: platform.slug,
          network,
          brandId,
          accountId,
          ...withoutApp(platform),
          connected,
        });
        const result = { status: 201, body: connectResult(account) };
        await tx.key?.record(result);
        return result;
      });
    }
    if (ask.brandId === undefined && !(await hasAccount(authority, platform)))
      await admission.refuseBrandLimit(workspace);
    const metadata = admission.metadataFor(platform, fields);
    return begin(workspace, platform, network, { ...ask, redirect_uri, metadata, login: loginAsked });
  }

  /** Clients of the hosted product also name the address in `metadata`; a `redirect_uri` beside it wins. */
  function checkedRedirect(workspace: Workspace, given: string | undefined, fields: Readonly<Record<string, string>>) {
    if (given !== undefined) return admission.checkRedirect(workspace, given);
    return admission.checkRedirect(workspace, fields['redirect_uri'], 'metadata.redirect_uri');
  }

  /** Whether the login may be that of an account that is here, which needs no brand: who it is shows at its end. */
  const hasAccount = async (authority: Authority, { slug }: Platform) =>
    (await listAccounts(store.db, authority, { platform: slug })).length > 0;

  return Object.freeze({
    ...makePendingConnections(deps),
    start,

    /** Connects an account again that is already here (GET /oauth/url). */
    async restart(workspace: Workspace, account: AccountRow, ask: Omit<ConnectAsk, 'platform' | 'metadata'>) {
      const platform = admission.connector(account.platform, 'platform');
      const redirect_uri = await admission.checkRedirect(workspace, ask.redirect_uri);
      const logins = loginsOf(platform);
      return begin(workspace, platform, account.network, {
        ...ask,
        redirect_uri,
        metadata: {},
        // By the login that makes accounts of its kind.
        login: account.kind !== null && logins.has(account.kind) ? account.kind : platform.slug,
        brandId: account.brand_id,
        accountId: account.id,
      });
    },
  });
}

/** What a login with credentials says about its app: it needs none. */
const withoutApp = ({ connect }: Platform) => ({ appId: null, byKey: connect.kind === 'oauth' });

/** Logs in with the credentials of a person; a refusal of the platform becomes an error of the API. */
async function login(
  calling: Calling,
  platform: Platform,
  network: Network,
  connect: DirectConnect,
  fields: Readonly<Record<string, string>>,
): Promise<Connected> {
  try {
    return await connect.login(calling.bare(platform, network), fields);
  } catch (error) {
    throw platformRefusal(platform.slug, error);
  }
}
