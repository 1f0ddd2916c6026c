import { findAccount, type AccountRow } from '../../../db/accounts.ts';
import { findBrand } from '../../../db/brands.ts';
import {
  endConnect,
  findConnect,
  findEnded,
  insertConnect,
  useConnect,
  type ConnectRow,
} from '../../../db/connects.ts';
import type { Network } from '../../../db/schema.ts';
import type { Store } from '../../../db/store.ts';
import { findWorkspace } from '../../../db/users.ts';
import { workspaceOf, type Reach, type Workspace } from '../../call/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { ApiError, fail } from '../../kernel/errors.ts';
import { randomHex } from '../../kernel/ids.ts';
import { isPlatform, type PlatformSlug } from '../../kernel/platforms.ts';
import { PLANS } from '../../kernel/plans.ts';
import { checkRedirectUri } from '../../kernel/redirect-uri.ts';
import type { Sealer } from '../../kernel/seal.ts';
import { sha256 } from '../../kernel/sign.ts';
import {
  PlatformError,
  type Connected,
  type DirectConnect,
  type OAuthClient,
  type Platform,
} from '../../platforms/platform.ts';
import type { Calling } from './calling.ts';
import { linkAccount } from './link.ts';
import { connectResult } from './records.ts';

/** How long an auth_url may be used (rulings 5.13). */
const STATE_MS = 15 * 60_000;

export type ConnectDeps = Readonly<{
  store: Store;
  clock: Clock;
  sealer: Sealer;
  calling: Calling;
  platforms: ReadonlyMap<PlatformSlug, Platform>;
  rootUrl: string;
  sandbox: boolean;
  /** Platforms that have credentials or a service of their own, and so talk to the real network. */
  configured: ReadonlySet<PlatformSlug>;
  clientOf(platform: PlatformSlug): OAuthClient | undefined;
  /** Refuses an address that is not among those the workspace registered. */
  admitRedirect(workspaceId: string, uri: string): Promise<void>;
}>;

export type ConnectAsk = Readonly<{
  platform: string;
  redirectUri: string | undefined;
  state: string | undefined;
  brandId: string | undefined;
  metadata: Readonly<Record<string, unknown>>;
  accountId?: string | undefined;
}>;

/** A connection under way, as our own form and pages need it. */
export type Pending = Readonly<{
  row: ConnectRow;
  platform: Platform;
  brandName: string | undefined;
  username: string | undefined;
}>;

/** Connecting accounts: at once with credentials, or by sending a person to a form or a consent page. */
export function makeConnect(deps: ConnectDeps) {
  const { store, clock, sealer, calling, platforms } = deps;

  async function start(reach: Reach, workspace: Workspace, ask: ConnectAsk) {
    const platform = connector(ask.platform, 'platform');
    await refusePlatform(workspace, platform.slug);
    const redirectUri = await checkRedirect(workspace, ask.redirectUri);
    if (reach.brands && ask.brandId === undefined) {
      fail('validation.field_required', {
        message: 'brand_id is required for a key limited to brands.',
        meta: { field: 'brand_id' },
      });
    }
    const brand = ask.brandId === undefined ? undefined : await findBrand(store.db, reach, ask.brandId);
    if (ask.brandId !== undefined && !brand) fail('brand.not_found', { meta: { resource: 'brand', id: ask.brandId } });
    const fields = stringsOf(ask.metadata);
    const network = networkOf(platform, fields);
    const { connect } = platform;
    if (connect.kind === 'direct' && connect.required.every((name) => fields[name])) {
      const connected = await login(platform, connect, network, fields);
      const account = await store.write((tx) =>
        linkAccount(
          tx,
          sealer,
          { workspace, platform: platform.slug, network, brandId: ask.brandId, accountId: ask.accountId, connected },
          clock.now(),
        ),
      );
      return { status: 201, body: connectResult(account) };
    }
    // Credentials tell at once whether the account is known, and so needs no new brand; here nobody knows yet.
    if (ask.brandId === undefined) await refuseBrandLimit(workspace);
    return { status: 202, body: await begin(workspace, platform, network, { ...ask, redirectUri }) };
  }

  async function begin(workspace: Workspace, platform: Platform, network: Network, ask: ConnectAsk) {
    const state = randomHex(32);
    const id = sha256(state);
    const { connect, slug } = platform;
    const now = clock.now();
    let url = `${deps.rootUrl}/connect/${slug}/form?state=${state}`;
    let secrets: Readonly<Record<string, string>> = {};
    if (connect.kind === 'oauth') {
      const client = clientFor(platform, network);
      const begun = await connect
        .begin(calling.bare(platform, network), { state, callback: callbackOf(slug), client })
        .catch((error: unknown) => {
          throw platformRefusal(slug, error);
        });
      secrets = { ...begun.secrets, url: begun.url };
      url = `${deps.rootUrl}/connect/${slug}/go?state=${state}`;
    }
    await store.write(async (tx) => {
      await insertConnect(tx.db, {
        id,
        workspace_id: workspace.id,
        platform: slug,
        network,
        brand_id: ask.brandId ?? null,
        account_id: ask.accountId ?? null,
        redirect_uri: ask.redirectUri ?? null,
        client_state: ask.state ?? '',
        sealed: sealer.seal(JSON.stringify(secrets), `connects.sealed.${id}`),
        created_at: now,
        expires_at: now + STATE_MS,
      });
    });
    return {
      auth_url: url,
      state,
      message: 'Send the user to auth_url to connect the account.',
      metadata: network === 'sandbox' ? { sandbox: true } : {},
    };
  }

  async function login(
    platform: Platform,
    connect: DirectConnect,
    network: Network,
    fields: Readonly<Record<string, string>>,
  ): Promise<Connected> {
    try {
      return await connect.login(calling.bare(platform, network), fields);
    } catch (error) {
      throw platformRefusal(platform.slug, error);
    }
  }

  async function refusePlatform(workspace: Workspace, slug: PlatformSlug): Promise<void> {
    const allowed = (await findWorkspace(store.db, workspace.id))?.allowed_platforms;
    if (!allowed || (JSON.parse(allowed) as string[]).includes(slug)) return;
    fail('billing.platform_not_available', { meta: { plan: workspace.plan } });
  }

  async function refuseBrandLimit(workspace: Workspace): Promise<void> {
    const max = PLANS[workspace.plan].limits.profiles;
    if (max < 0) return;
    const row = await findWorkspace(store.db, workspace.id);
    if (row && row.brands_count >= max) fail('brand.limit_reached', { meta: { plan: workspace.plan, max } });
  }

  function connector(slug: string, field: string): Platform {
    const platform = isPlatform(slug) ? platforms.get(slug) : undefined;
    if (!isPlatform(slug))
      fail('account.unsupported_platform', { message: `There is no platform ${slug}.`, meta: { field } });
    return (
      platform ??
      fail('resource.not_supported', {
        message: `${slug} cannot be connected here yet.`,
        meta: { resource: 'connect', platform: slug },
      })
    );
  }

  /** With the sandbox on, a platform without a configuration of its own connects to its twin (design §5). */
  function networkOf(platform: Platform, fields: Readonly<Record<string, string>>): Network {
    const own = deps.configured.has(platform.slug) || fields['service'] !== undefined;
    return deps.sandbox && !own ? 'sandbox' : 'real';
  }

  function clientFor(platform: Platform, network: Network): OAuthClient {
    if (network === 'sandbox') return { clientId: 'sandbox', clientSecret: 'sandbox' };
    const name = platform.slug.toUpperCase();
    return (
      deps.clientOf(platform.slug) ??
      fail('byok.credentials_missing', {
        message: `Set ${name}_CLIENT_ID and ${name}_CLIENT_SECRET to connect ${platform.slug}.`,
        meta: { field: `${name}_CLIENT_ID` },
      })
    );
  }

  async function checkRedirect(workspace: Workspace, given: string | undefined): Promise<string | undefined> {
    if (given === undefined) return undefined;
    const uri = checkRedirectUri(given, 'redirect_uri');
    await deps.admitRedirect(workspace.id, uri);
    return uri;
  }

  const callbackOf = (slug: PlatformSlug) => `${deps.rootUrl}/connect/${slug}/callback`;

  return Object.freeze({
    start,

    /** Connects an account again that is already here (GET /oauth/url). */
    async restart(workspace: Workspace, account: AccountRow, ask: Omit<ConnectAsk, 'platform' | 'metadata'>) {
      const platform = connector(account.platform, 'platform');
      const redirectUri = await checkRedirect(workspace, ask.redirectUri);
      return begin(workspace, platform, account.network, {
        ...ask,
        redirectUri,
        platform: account.platform,
        metadata: {},
        brandId: account.brand_id,
        accountId: account.id,
      });
    },

    /** The connection a state stands for; undefined when it is unknown, used or expired. */
    async pending(slug: string, state: string): Promise<Pending | undefined> {
      const row = await findConnect(store.db, sha256(state), clock.now());
      const platform = isPlatform(slug) ? platforms.get(slug) : undefined;
      if (!row || !platform || row.platform !== slug) return undefined;
      const reach = { workspace: row.workspace_id };
      const brand = row.brand_id === null ? undefined : await findBrand(store.db, reach, row.brand_id);
      const account = row.account_id === null ? undefined : await findAccount(store.db, reach, row.account_id);
      // What it was to be attached to is gone, and so is the connection.
      if ((row.brand_id !== null && !brand) || (row.account_id !== null && !account)) {
        await store.write((tx) => endConnect(tx.db, row.id, clock.now()));
        return undefined;
      }
      return { row, platform, brandName: brand?.name, username: account?.username };
    },

    /** Where a connection was to end that nobody finished in time, or cannot finish any more: its client is told so. */
    async expired(slug: string, state: string): Promise<ConnectRow | undefined> {
      const row = await findEnded(store.db, sha256(state), clock.now());
      return row?.platform === slug ? row : undefined;
    },

    /**
     * Finishes a connection with what the person typed into our form. A refused login leaves the state usable,
     * so a mistyped password costs nothing.
     */
    async submit({ row, platform }: Pending, fields: Readonly<Record<string, string>>): Promise<AccountRow> {
      const { connect } = platform;
      if (connect.kind !== 'direct') fail('auth.state_mismatch');
      const missing = connect.required.find((name) => !fields[name]);
      if (missing !== undefined)
        fail('validation.field_required', { message: `${missing} is required.`, meta: { field: missing } });
      const network = fields['service'] ? 'real' : row.network;
      const connected = await login(platform, connect, network, fields);
      return store.write(async (tx) => {
        const workspace = await findWorkspace(tx.db, row.workspace_id);
        if (!workspace || !(await useConnect(tx.db, row.id, clock.now()))) fail('auth.state_mismatch');
        return linkAccount(
          tx,
          sealer,
          {
            workspace: workspaceOf({
              ...workspace,
              workspace_id: workspace.id,
              workspace_created_at: workspace.created_at,
            }),
            platform: platform.slug,
            network,
            brandId: row.brand_id ?? undefined,
            accountId: row.account_id ?? undefined,
            connected,
          },
          clock.now(),
        );
      });
    },

    /** Ends a connection that the person gave up; false when it had ended already. */
    abandon: ({ row }: Pending) => store.write((tx) => useConnect(tx.db, row.id, clock.now())),
  });
}

function stringsOf(metadata: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(metadata).flatMap(([name, value]) =>
      typeof value === 'string' && value.trim() !== '' ? [[name, value.trim()]] : [],
    ),
  );
}

/** A connector's failure as the answer of an operation. */
export function platformRefusal(platform: PlatformSlug, error: unknown): unknown {
  if (!(error instanceof PlatformError)) return error;
  return new ApiError(`platform.${platform}.${error.reason}`, {
    message: error.message,
    retryAfter: error.retryAfter ?? undefined,
    cause: error,
  });
}
