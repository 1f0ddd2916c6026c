import {
  accountsOfApps,
  appIdsAt,
  deleteApps,
  holdApps,
  insertApp,
  listApps,
  patchApp,
  type AppScope,
  type AppRow,
} from '#db/access/apps.ts';
import { findBrand } from '#db/access/brands.ts';
import { takeQuota } from '#db/access/quotas.ts';
import type { Network } from '#db/schema/database.ts';
import type { Store } from '#db/store/store.ts';
import type { LogEntry, Tx } from '#db/store/tx.ts';
import type { DisconnectAll, EndPushes } from '#call/ports.ts';
import { authorityOver, type Authority } from '#kernel/authority.ts';
import { isoTime, type Clock } from '#kernel/clock.ts';
import { fail, noSuch } from '#kernel/errors.ts';
import { newId } from '#kernel/ids.ts';
import { windowAt } from '#kernel/limits/windows.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { Sealer } from '#kernel/seal.ts';
import type { UnauthenticatedCall } from '#platforms/call.ts';
import type { CustomerApps, OAuthClient } from '#platforms/connect.ts';
import { notSupported, type Platforms } from '#platforms/lookup.ts';
import type { Platform } from '#platforms/platform.ts';
import { platformRefusal } from '#platforms/refusal.ts';
import { customerAppsOf, openApp, sealApp } from './finder.ts';

/** Credential tests per workspace and minute. */
const TESTS_A_MINUTE = 5;
/** How much of a client id is displayed. */
const HINT_LENGTH = 6;
const REMOVED = 'The app credentials it was connected with were removed.';

export type AppsDeps = Readonly<{
  store: Store;
  clock: Clock;
  sealer: Sealer;
  platforms: Platforms;
  bare(platform: Platform, network: Network): UnauthenticatedCall;
  networkOf(platform: PlatformSlug): Network;
  disconnectAll: DisconnectAll;
  endPushes: EndPushes;
}>;

function presentApp({ id, brand_id, client_id, created_at, updated_at }: AppRow) {
  return {
    id,
    brand_id,
    client_id_hint: client_id.slice(0, HINT_LENGTH),
    created_at: isoTime(created_at),
    updated_at: isoTime(updated_at),
  };
}

function entryOf(scope: AppScope, done: 'stored' | 'removed'): LogEntry {
  return {
    workspaceId: scope.workspace,
    category: 'api',
    action: `app_credentials_${done}`,
    status: 'success',
    platform: scope.platform,
    resourceId: scope.brand ?? undefined,
    summary: `App credentials of ${scope.platform} ${done}`,
  };
}

/** Updates the current app if the client id is the same, else replaces it; undefined if another process was faster. */
async function storeApp(
  tx: Tx,
  sealer: Sealer,
  scope: AppScope,
  client: OAuthClient,
  now: number,
): Promise<AppRow | undefined> {
  const current = (await holdApps(tx.db, tx.dialect, scope)).find(({ retired_at }) => retired_at === null);
  if (current?.client_id === client.clientId) {
    // The same app got new secrets, which the accounts connected with it need too.
    const patch = { sealed: sealApp(sealer, current.id, client), updated_at: now };
    await patchApp(tx.db, current.id, patch);
    return { ...current, ...patch };
  }
  if (current) await patchApp(tx.db, current.id, { retired_at: now });
  const id = newId('app', now);
  const row: AppRow = {
    id,
    workspace_id: scope.workspace,
    platform: scope.platform,
    brand_id: scope.brand,
    client_id: client.clientId,
    sealed: sealApp(sealer, id, client),
    created_at: current?.created_at ?? now,
    updated_at: now,
    retired_at: null,
  };
  return (await insertApp(tx.db, row)) ? row : undefined;
}

/** Removes the apps of a scope and returns the current one; accounts that use them must be connected again. */
async function takeApps(
  tx: Tx,
  scope: AppScope,
  { clock, disconnectAll }: Pick<AppsDeps, 'clock' | 'disconnectAll'>,
): Promise<AppRow | undefined> {
  const held = await holdApps(tx.db, tx.dialect, scope);
  const ids = held.map(({ id }) => id);
  const current = held.find(({ retired_at }) => retired_at === null);
  if (current === undefined) return undefined;
  const accounts = await accountsOfApps(tx.db, ids);
  await disconnectAll(
    tx,
    accounts.map(({ id }) => id),
    REMOVED,
    clock.now(),
  );
  await deleteApps(tx.db, ids);
  await tx.log(entryOf(scope, 'removed'));
  return current;
}

/** Customers' apps: one for the workspace, and one for each brand that has its own. */
export function makeApps(deps: AppsDeps) {
  const { store, clock, sealer, platforms, endPushes } = deps;

  function platformOf(slug: PlatformSlug) {
    const platform = platforms.get(slug);
    const customerApps = platform && customerAppsOf(platform);
    return customerApps ? { platform, customerApps } : notSupported(slug, 'credentials');
  }

  async function scopeOf(authority: Authority, slug: PlatformSlug, brandId: string | undefined): Promise<AppScope> {
    if (brandId !== undefined && !(await findBrand(store.db, authority, brandId))) noSuch('brand', brandId);
    platformOf(slug);
    return { workspace: authority.workspace, platform: slug, brand: brandId ?? null };
  }

  /** The credentials to test: the given ones, or those stored for the brand or workspace. */
  async function testedOf(
    scope: AppScope,
    { storedBy }: CustomerApps,
    given: OAuthClient | undefined,
  ): Promise<OAuthClient> {
    if (given) return given;
    const apps = await listApps(store.db, authorityOver(scope.workspace), scope.platform);
    const app = apps.find(({ brand_id }) => brand_id === scope.brand);
    const next = storedBy === undefined ? undefined : `Send some, or store them with ${storedBy}.`;
    return app ? openApp(sealer, app) : fail('byok.credentials_missing', { next, meta: { field: 'client_id' } });
  }

  return Object.freeze({
    async list(authority: Authority, slug: PlatformSlug) {
      platformOf(slug);
      return (await listApps(store.db, authority, slug)).map(presentApp);
    },

    /** Stores an app's credentials; existing accounts keep their app until they are connected again. */
    async set(authority: Authority, slug: PlatformSlug, brandId: string | undefined, client: OAuthClient) {
      const scope = await scopeOf(authority, slug, brandId);
      const { secrets } = platformOf(slug).customerApps;
      const unknown = Object.keys(client.secrets ?? {}).find((name) => !secrets.includes(name));
      if (unknown !== undefined) {
        fail('validation.field_invalid', { message: `${slug} has no ${unknown}.`, meta: { field: unknown } });
      }
      for (;;) {
        const row = await store.write(async (tx) => {
          const stored = await storeApp(tx, sealer, scope, client, clock.now());
          if (stored) await tx.log(entryOf(scope, 'stored'));
          return stored;
        });
        if (row) return presentApp(row);
      }
    },

    /** Removes credentials; accounts connected with them must be connected again. */
    async remove(authority: Authority, slug: PlatformSlug, brandId: string | undefined) {
      const scope = await scopeOf(authority, slug, brandId);
      // Subscriptions are ended first, as that requires the credentials.
      await endPushes(await accountsOfApps(store.db, await appIdsAt(store.db, scope)));
      const removed = await store.write((tx) => takeApps(tx, scope, deps));
      if (removed === undefined) {
        const whose = brandId === undefined ? 'the workspace' : `brand ${brandId}`;
        const message = `No app credentials of ${slug} are stored for ${whose}.`;
        fail('resource.not_found', { message, meta: { resource: 'credentials', id: brandId ?? slug } });
      }
      return { success: true, ok: true, id: removed.id };
    },

    /** Whether the platform accepts credentials; a wrong pair is a result, not an error. */
    async test(
      authority: Authority,
      slug: PlatformSlug,
      request: Readonly<{ brandId?: string | undefined; client?: OAuthClient | undefined }>,
    ): Promise<Readonly<{ valid: boolean; reason: string | null }>> {
      const scope = await scopeOf(authority, slug, request.brandId);
      const { platform, customerApps } = platformOf(slug);
      const client = await testedOf(scope, customerApps, request.client);
      const now = clock.now();
      const window = { bucket: `app tests ${slug} ${authority.workspace}`, ...windowAt({ every: 'minute' }, now) };
      if (!(await store.write((tx) => takeQuota(tx.db, window, { units: 1, limit: TESTS_A_MINUTE })))) {
        fail('byok.test_rate_limited', { retryAfter: (window.end - now) / 1000 });
      }
      try {
        return await customerApps.check(deps.bare(platform, deps.networkOf(slug)), client);
      } catch (error) {
        throw platformRefusal(slug, error);
      }
    },
  });
}

export type Apps = ReturnType<typeof makeApps>;
