import { countOpenConnects } from '#db/access/connects.ts';
import type { InvitedConnections } from '#call/ports.ts';
import { fail } from '#kernel/errors.ts';
import { keyLoginOf, loginsOf } from '#platforms/lookup.ts';
import { noClient } from './admission.ts';
import type { Begin } from './begin.ts';
import type { ConnectionDeps } from './pending.ts';

const MOST_OPEN = 50;

/** Connections of invited people: the brand is fixed, and no client waits for the result. */
export function makeInvited({ store, clock, admission, rootUrl }: ConnectionDeps, begin: Begin): InvitedConnections {
  return Object.freeze<InvitedConnections>({
    async admit(authority, workspace, { platform: slug, brandId }) {
      const platform = await admission.admit(authority, workspace, { platform: slug, brandId });
      if (keyLoginOf(platform) !== undefined) return platform.slug;
      const network = admission.networkOf(platform, {});
      for (const login of loginsOf(platform).values()) {
        if (await admission.chooseApp(login, network, workspace, brandId)) return platform.slug;
      }
      return noClient(platform, network, rootUrl);
    },

    async begin(authority, workspace, { platform: slug, brandId, invite }) {
      const platform = await admission.admit(authority, workspace, { platform: slug, brandId });
      const now = clock.now();
      const { count, firstEnd } = await countOpenConnects(store.db, invite.id, now);
      if (count >= MOST_OPEN)
        fail('http.429', {
          message: 'This invitation was opened too often.',
          retryAfter: ((firstEnd ?? now) - now) / 1000,
        });
      const request = {
        brandId,
        invite,
        redirect_uri: undefined,
        state: undefined,
        metadata: {},
        login: undefined,
        audience: undefined,
      };
      const { body } = await begin(workspace, platform, admission.networkOf(platform, {}), request);
      return body.auth_url;
    },
  });
}
