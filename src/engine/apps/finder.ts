import { listApps, loadApp, type AppRow } from '#db/access/apps.ts';
import type { Network } from '#db/schema/database.ts';
import { openJson, sealJson } from '#db/schema/sealed.ts';
import type { Store } from '#db/store/store.ts';
import type { AppFinder } from '#call/ports.ts';
import { authorityOver } from '#kernel/authority.ts';
import type { AppName } from '#kernel/platforms.ts';
import type { Sealer } from '#kernel/seal.ts';
import type { OAuthClient } from '#platforms/connect.ts';
import { appOf } from '#platforms/lookup.ts';
import type { Platform } from '#platforms/platform.ts';

type FinderDeps = Readonly<{
  store: Store;
  sealer: Sealer;
  serverApp(app: AppName, network: Network): OAuthClient | undefined;
}>;

type AppSecrets = Omit<OAuthClient, 'clientId'>;

/** How customers can use their own apps; undefined if the platform does not support it. */
export function customerAppsOf({ connect }: Platform) {
  return connect.kind === 'oauth' ? connect.customerApps : undefined;
}

export function sealApp(sealer: Sealer, id: string, { clientId: _public, ...secrets }: OAuthClient): string {
  return sealJson(sealer, secrets satisfies AppSecrets, 'apps', id);
}

export function openApp(sealer: Sealer, { id, client_id, sealed }: AppRow): OAuthClient {
  return { clientId: client_id, ...(openJson(sealer, sealed, 'apps', id) as AppSecrets) };
}

/** Finds the app with which an account is connected and its session refreshed. */
export function makeAppFinder({ store, sealer, serverApp }: FinderDeps): AppFinder {
  return Object.freeze<AppFinder>({
    async choose(platform, { network, workspace, brand }) {
      if (customerAppsOf(platform) !== undefined) {
        const own = await listApps(store.db, authorityOver(workspace), platform.slug);
        const app = own.find(({ brand_id }) => brand_id === brand) ?? own.find(({ brand_id }) => brand_id === null);
        if (app) return { id: app.id, client: openApp(sealer, app) };
        if (network === 'sandbox') return undefined;
      }
      const client = serverApp(appOf(platform), network);
      return client && { id: null, client };
    },

    async find(platform, { network, app_id: id }) {
      if (id === null) return serverApp(appOf(platform), network);
      const app = await loadApp(store.db, id);
      return app && openApp(sealer, app);
    },
  });
}
