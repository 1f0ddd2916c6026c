import { makePageFinder } from '../engine/accounts/page-finder.ts';
import { makeSessions } from '../engine/accounts/sessions.ts';
import { makeVerify } from '../engine/verify/index.ts';
import { isPublicUrl } from '../kernel/net/addresses.ts';
import type { Engine } from './engine.ts';
import type { Networks } from './network.ts';
import { version } from './package.ts';
import type { Setup } from './setup.ts';

/** The comparison of platforms with their connectors; its sessions are those of the server, with an eye on every call. */
export function openVerify({ base, config, sealer, platforms }: Setup, network: Networks, { modules }: Engine) {
  const { calling, apps, appsOf, networkOf, origin } = network;
  const { rootUrl } = config;
  return makeVerify({
    ...base,
    platforms,
    apps,
    networkOf,
    rootUrl,
    version,
    bare: calling.bare,
    pages: makePageFinder(base),
    sessionsOver: (observe) =>
      makeSessions({
        ...base,
        sealer,
        platforms,
        apps,
        calling: { ...calling, bare: (...of) => observe(calling.bare(...of)) },
      }),
    media: modules.media,
    handshake: modules.inbound.pushes.handshake,
    verifyTokenOf: (slug, on) => appsOf(slug).find(({ network: of }) => of === on)?.verifyToken,
    isReachable: (on) => on === 'sandbox' || isPublicUrl(rootUrl),
    pushUrl: (on) => (on === 'sandbox' ? origin : rootUrl),
  });
}
