import { insertConnect } from '#db/access/connects.ts';
import type { Network } from '#db/schema/database.ts';
import { sealJson } from '#db/schema/sealed.ts';
import { sandboxMark } from '#call/accounts.ts';
import type { Workspace } from '#kernel/authority.ts';
import { randomHex } from '#kernel/ids.ts';
import { sha256 } from '#kernel/sign.ts';
import type { ConnectMetadata } from '#platforms/connect.ts';
import { keyLoginOf, loginsOf } from '#platforms/lookup.ts';
import type { Platform } from '#platforms/platform.ts';
import { platformRefusal } from '#platforms/refusal.ts';
import { noClient } from './admission.ts';
import type { Audience } from './link.ts';
import { type Begun, type ConnectionDeps, type Consents, stateFor } from './pending.ts';

/** How long an `auth_url` is valid. */
const STATE_MS = 15 * 60_000;

export type ConnectRequest = Readonly<{
  platform: string;
  redirect_uri: string | undefined;
  state: string | undefined;
  brandId: string | undefined;
  metadata: Readonly<Record<string, unknown>>;
  accountId?: string | undefined;
}>;

/** A connection that is about to begin: its checked metadata, and its login if one was chosen. */
type Beginning = Omit<ConnectRequest, 'platform' | 'metadata'> &
  Readonly<{
    metadata: ConnectMetadata;
    login: string | undefined;
    /** Who may be told where the account is already connected; undefined for guests. */
    audience: Audience | undefined;
    /** The invite that this connection uses up, and when it expires. */
    invite?: Readonly<{ id: string; until: number }> | undefined;
  }>;

export type Begin = ReturnType<typeof makeBegin>;

/** Begins a connection: makes the URL of our form or a consent page, and stores the state it comes back with. */
export function makeBegin({ store, clock, sealer, calling, admission, rootUrl }: ConnectionDeps) {
  /** The consent pages to offer: one for each login that has an app, or only the requested one. */
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
      const request = { state: stateFor(state, login, platform), callback, client: app.client, metadata };
      const { secrets, url } = await connect.begin(calling.bare(platform, network), request).catch((error: unknown) => {
        throw platformRefusal(platform.slug, error);
      });
      return [{ login, appId: app.id, secrets: { ...secrets, url } }];
    });
    const consents = (await Promise.all(begun)).flat();
    if (consents.length === 0 && keyLoginOf(platform) === undefined) {
      noClient(loginsOf(platform).get(only ?? platform.slug) ?? platform, network, rootUrl);
    }
    return consents;
  }

  return async function begin(workspace: Workspace, platform: Platform, network: Network, request: Beginning) {
    const state = randomHex(32);
    const id = sha256(state);
    const { slug } = platform;
    const now = clock.now();
    const { metadata, invite } = request;
    const consents = await consentsOf(workspace, platform, network, request, state);
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
        brand_id: request.brandId ?? null,
        account_id: request.accountId ?? null,
        app_id: own?.appId ?? null,
        invite_id: invite?.id ?? null,
        metadata,
        redirect_uri: request.redirect_uri ?? null,
        client_state: request.state ?? '',
        sealed: sealJson(
          sealer,
          { consents: kept, audience: request.audience ?? null } satisfies Begun,
          'connects',
          id,
        ),
        created_at: now,
        expires_at: Math.min(now + STATE_MS, invite?.until ?? Infinity),
      });
      await tx.key?.record(begun);
    });
    return begun;
  };
}
