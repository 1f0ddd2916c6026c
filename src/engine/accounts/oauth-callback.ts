import { type AccountRow, findAccount } from '#db/access/accounts.ts';
import { type ChoiceRow, insertChoice } from '#db/access/choices.ts';
import { type ConnectRow, findConnect, reviveConnect, useConnect } from '#db/access/connects.ts';
import { currentWorkspace } from '#db/access/users.ts';
import type { Network } from '#db/schema/database.ts';
import { sealJson } from '#db/schema/sealed.ts';
import { authorityOver, type Authority, type Workspace } from '#kernel/authority.ts';
import { fail } from '#kernel/errors.ts';
import { newId } from '#kernel/ids.ts';
import { sha256 } from '#kernel/sign.ts';
import type { ChosenApp } from '#call/ports.ts';
import type { Connected, ConnectMetadata } from '#platforms/connect.ts';
import { noClient, nothingFound, stringsOf } from './admission.ts';
import { PlatformError } from '#platforms/errors.ts';
import { accountOf, connectorOf, loginsOf, notSupported } from '#platforms/lookup.ts';
import type { Platform } from '#platforms/platform.ts';
import { loginRefusal } from '#platforms/refusal.ts';
import { audienceOf, type Audience } from './link.ts';
import { begunIn, type ConnectionDeps, consentsIn, partsOfState, type PendingConnection } from './pending.ts';
import { connectResult } from './present-account.ts';
import { makeChoices, type Offered, presentChoice } from './choices.ts';

/** How long a choice between profiles stays open. */
const CHOICE_MS = 30 * 60_000;

/** What a login is for when the person returns from the consent page. */
type CallbackTarget = Readonly<{
  workspace: Workspace;
  platform: Platform;
  /** The platform and kind of account that the login connects. */
  login: Platform;
  network: Network;
  brandId: string | undefined;
  accountId: string | undefined;
  inviteId: string | undefined;
  audience: Audience | undefined;
  app: ChosenApp;
  metadata: ConnectMetadata;
  /** Secrets that were stored when the connection began. */
  secrets: Readonly<Record<string, string>>;
}>;

/** The result of a consent: an account, or a choice between profiles. */
export type ConnectionResult = Readonly<
  { account: AccountRow } | { choice: ChoiceRow; profiles: readonly Connected[] }
>;

export type ExchangeRequest = Readonly<{
  code: string;
  platform: string | undefined;
  state: string | undefined;
  brandId: string | undefined;
  redirect_uri: string | undefined;
  metadata: Readonly<Record<string, unknown>>;
}>;

export type Exchanged = ReturnType<typeof presentExchange>;

/** Handles states and codes of consents; each can be used once. */
function makeConsents({ store, clock, sealer, calling, apps, rootUrl }: ConnectionDeps) {
  const consentsOf = ({ id, platform, sealed }: ConnectRow) =>
    consentsIn(platform, begunIn(sealer, { id, sealed }).consents);

  async function stateRow(workspace: Workspace, state: string, platform: string | undefined): Promise<ConnectRow> {
    const row = await findConnect(store.db, sha256(state), clock.now());
    if (!row || row.workspace_id !== workspace.id || (platform !== undefined && row.platform !== platform)) {
      fail('auth.state_mismatch');
    }
    return row;
  }

  /** Marks the state as used first, so that a second request never sends a used code to the platform. */
  async function claim(row: ConnectRow): Promise<Workspace> {
    const workspace = await store.write(async (tx) =>
      (await useConnect(tx.db, row.id, clock.now())) ? currentWorkspace(tx.db, row.workspace_id) : undefined,
    );
    return workspace ?? fail('auth.state_mismatch');
  }

  async function finish(
    { platform, login, network, app: { client }, metadata, secrets }: CallbackTarget,
    params: Readonly<Record<string, string>>,
    callback: string,
  ): Promise<readonly Connected[]> {
    const { connect, slug } = login;
    if (connect.kind !== 'oauth') notSupported(slug, 'exchange');
    try {
      return await connect.finish(calling.bare(platform, network), { params, secrets, callback, client, metadata });
    } catch (error) {
      throw loginRefusal(slug, error);
    }
  }

  /** Uses a claimed state; it becomes valid again if no request reached the platform. */
  async function finishOnce(
    row: ConnectRow,
    target: CallbackTarget,
    params: Readonly<Record<string, string>>,
    callback: string,
  ): Promise<readonly Connected[]> {
    try {
      return await finish(target, params, callback);
    } catch (error) {
      const { cause } = error as { cause?: unknown };
      if (cause instanceof PlatformError && cause.kind === 'not_sent') {
        await store.write((tx) => reviveConnect(tx.db, row.id));
      }
      throw error;
    }
  }

  /** What the login of a begun connection is for. */
  async function targetOf(
    row: ConnectRow,
    workspace: Workspace,
    platform: Platform,
    name: string | undefined,
  ): Promise<CallbackTarget> {
    const login = name ?? platform.slug;
    const kind = loginsOf(platform).get(login) ?? fail('auth.state_mismatch');
    const secrets = consentsOf(row).get(login) ?? fail('auth.state_mismatch');
    const client = (await apps.find(kind, row)) ?? noClient(kind, row.network, rootUrl);
    return {
      workspace,
      platform,
      login: kind,
      network: row.network,
      brandId: row.brand_id ?? undefined,
      accountId: row.account_id ?? undefined,
      inviteId: row.invite_id ?? undefined,
      audience: begunIn(sealer, row).audience ?? undefined,
      app: { id: row.app_id, client },
      metadata: row.metadata,
      secrets,
    };
  }

  return { stateRow, claim, consentsOf, finish, finishOnce, targetOf };
}

function makeSettle({ store, clock, sealer, platforms, beforeConnected, link, writeLogin }: ConnectionDeps) {
  /** Reconnects the known profile, even if the login manages others too. */
  async function sameAgain({ workspace, accountId }: CallbackTarget, found: readonly Connected[]) {
    if (accountId === undefined) return undefined;
    const account = await findAccount(store.db, authorityOver(workspace.id), accountId);
    const same = found.find(({ profile }) => profile.platform_user_id === account?.platform_user_id);
    return same ?? fail('account.different_login', { meta: { id: accountId } });
  }

  return async function settle(target: CallbackTarget, found: readonly Connected[]): Promise<ConnectionResult> {
    const { workspace, platform, network, brandId, accountId, inviteId, audience, app } = target;
    if (found.length === 0) nothingFound(platform);
    const one = found.length === 1 ? found[0] : await sameAgain(target, found);
    if (one) {
      await beforeConnected(connectorOf(platforms, accountOf(platform.slug, one)), network, one);
      const place = { workspace, platform: platform.slug, network, brandId, accountId, inviteId, audience };
      const request = { ...place, appId: app.id, byKey: false, connected: one };
      return writeLogin(request, async (tx) => {
        const result = { account: await link(tx, request) };
        await tx.key?.record(presentExchange(result));
        return result;
      });
    }
    const now = clock.now();
    const id = newId('pc', now);
    const choice: ChoiceRow = {
      id,
      workspace_id: workspace.id,
      platform: platform.slug,
      network,
      brand_id: brandId ?? null,
      account_id: accountId ?? null,
      app_id: app.id,
      invite_id: inviteId ?? null,
      sealed: sealJson(sealer, { found, audience: audience ?? null } satisfies Offered, 'choices', id),
      created_at: now,
      expires_at: now + CHOICE_MS,
    };
    const result = { choice, profiles: found };
    await store.write(async (tx) => {
      await insertChoice(tx.db, choice);
      await tx.key?.record(presentExchange(result));
    });
    return result;
  };
}

export function makeOAuthCallback(deps: ConnectionDeps) {
  const { admission } = deps;
  const { stateRow, claim, consentsOf, finish, finishOnce, targetOf } = makeConsents(deps);
  const settle = makeSettle(deps);

  /** What the login is for if the code comes from a consent that was not begun here. */
  async function freshTarget(
    workspace: Workspace,
    platform: Platform,
    {
      brandId,
      name,
      audience,
    }: Readonly<{ brandId: string | undefined; name: string | undefined; audience: Audience }>,
  ) {
    const network = admission.networkOf(platform, {});
    const login = loginsOf(platform).get(name ?? platform.slug) ?? platform;
    const app =
      (await admission.chooseApp(login, network, workspace, brandId)) ?? noClient(login, network, deps.rootUrl);
    return {
      workspace,
      platform,
      login,
      network,
      brandId,
      accountId: undefined,
      inviteId: undefined,
      audience,
      app,
      secrets: {},
    };
  }

  return Object.freeze({
    ...makeChoices(deps),

    /** The consent pages that the person can choose from, with the title of each login. */
    consents({ row, platform }: PendingConnection): readonly Readonly<{ title: string; url: string }>[] {
      const logins = loginsOf(platform);
      return [...consentsOf(row)].flatMap(([name, { url }]) => {
        const { connect } = logins.get(name) ?? platform;
        const title = (connect.kind === 'oauth' ? connect.title : undefined) ?? platform.title;
        return url === undefined ? [] : [{ title, url }];
      });
    },

    async finishCallback(
      { row, platform }: PendingConnection,
      params: Readonly<Record<string, string>>,
    ): Promise<ConnectionResult> {
      const { login } = partsOfState(params['state'] ?? '');
      const target = await targetOf(row, await claim(row), platform, login);
      return settle(target, await finishOnce(row, target, params, admission.callbackOf(platform)));
    },

    /** Finishes a consent for a client that received the code itself (POST /oauth/exchange). */
    async exchange(authority: Authority, workspace: Workspace, request: ExchangeRequest) {
      const { state, login } = partsOfState(request.state ?? '');
      const row = request.state === undefined ? undefined : await stateRow(workspace, state, request.platform);
      const slug =
        request.platform ??
        row?.platform ??
        fail('validation.field_required', {
          message: 'Send the platform, or the state of a connection started here.',
          meta: { field: 'platform' },
        });
      const brandId = request.brandId ?? row?.brand_id ?? undefined;
      const platform = await admission.admit(authority, workspace, { platform: slug, brandId });
      const { connect } = platform;
      if (connect.kind !== 'oauth') {
        notSupported(platform.slug, 'exchange', { message: `${slug} has no authorization codes to exchange.` });
      }
      if (connect.needsState && !row) {
        fail('validation.field_required', {
          message: `${slug} needs the state of the connection its code belongs to.`,
          meta: { field: 'state' },
        });
      }
      const given = await admission.checkRedirect(workspace, request.redirect_uri, 'metadata.redirect_uri');
      const fields = stringsOf(platform, request.metadata);
      const metadata = admission.metadataFor(platform, fields);
      const name = login ?? admission.loginNamed(platform, fields);
      const audience = audienceOf(authority);
      const target: CallbackTarget = row
        ? {
            ...(await targetOf(row, await claim(row), platform, name)),
            brandId,
            audience,
            metadata: { ...row.metadata, ...metadata },
          }
        : { ...(await freshTarget(workspace, platform, { brandId, name, audience })), metadata };
      const params = { code: request.code, ...(request.state !== undefined && { state: request.state }) };
      const callback = given ?? admission.callbackOf(platform);
      const found = row ? finishOnce(row, target, params, callback) : finish(target, params, callback);
      return presentExchange(await settle(target, await found));
    },
  });
}

function presentExchange(result: ConnectionResult) {
  return 'account' in result
    ? { status: 201, body: connectResult(result.account) }
    : { status: 200, body: presentChoice(result.choice, result.profiles) };
}
