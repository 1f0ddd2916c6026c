import { makePageFinder } from '#engine/accounts/page-finder.ts';
import { makeSessions } from '#engine/accounts/sessions.ts';
import { makeVerify } from '#engine/verify/index.ts';
import type { Engine } from './engine.ts';
import type { Networks } from './network.ts';
import { version } from './package.ts';
import type { Setup } from './setup.ts';

/** Compares platforms with their connectors, and records every call that the server's sessions make. */
export function openVerify({ base, config, sealer, platforms }: Setup, network: Networks, { modules }: Engine) {
  const { calling, apps, appsOf, networkOf, isReachable, pushUrl } = network;
  return makeVerify({
    ...base,
    platforms,
    apps,
    networkOf,
    isReachable,
    pushUrl,
    rootUrl: config.rootUrl,
    version,
    calling,
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
  });
}
