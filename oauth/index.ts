import { createHmac } from 'node:crypto';
import type Provider from 'oidc-provider';
import { sweepClients } from '#db/access/oauth-clients.ts';
import { sweepRecords } from '#db/access/oauth.ts';
import { MINUTE, DAY } from '#kernel/clock.ts';
import type { Links } from '#kernel/config/links.ts';
import { networkOf } from '#kernel/net/addresses.ts';
import { makeAuthorize } from './authorize.ts';
import { browserRoute, clientRoute, constantRoute, documentRoute } from './routes.ts';
import { makeInteractions } from './interactions.ts';
import { makeKeys } from './keys.ts';
import { resourceMetadata, serverMetadata } from './metadata.ts';
import type { ProviderDeps } from './provider.ts';
import { makeRegister } from './register.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import { makeRevoke } from './revoke.ts';
import { makeToken } from './token.ts';
import { makeTokens } from './tokens.ts';
import { type OAuthOptions } from './constants.ts';

export type { Interaction, Interactions } from './interactions.ts';
export type { OAuthOptions } from './constants.ts';

const SWEEP = 500;
/** Clients that never had a grant are deleted after this time. */
const IDLE_CLIENT_MS = 30 * DAY;

export type OAuthDeps = Readonly<
  Omit<ProviderDeps, 'keys' | 'options' | 'forget'> & { options?: OAuthOptions; links?: Links }
>;

/** The OAuth 2.1 authorization server, and the tokens it and the dashboard issue. */
export function makeOAuth({ options = {}, links = {}, ...given }: OAuthDeps) {
  const { store, clock, log, sealer, rootUrl } = given;
  const keys = makeKeys(given);
  const tokens = makeTokens({ store, clock, rootUrl, keys });
  const { forget } = tokens;
  // Loaded on first use: the provider takes a tenth of an idle server's memory, and many servers never need it.
  let loaded: Promise<() => Promise<Provider>> | undefined;
  const provider = async () => {
    loaded ??= import('./provider.ts').then(({ makeProviders }) => makeProviders({ ...given, keys, options, forget }));
    return (await loaded)();
  };
  const addressKey = sealer.derive('oauth addresses');
  const addressOf = ({ ip }: RequestContext) => createHmac('sha256', addressKey).update(networkOf(ip)).digest('hex');

  const { authorize, resume } = makeAuthorize({ store, clock, rootUrl, provider, addressOf });
  const routes: readonly Route[] = [
    constantRoute('/.well-known/oauth-protected-resource', resourceMetadata(rootUrl, '', links)),
    constantRoute('/.well-known/oauth-protected-resource/mcp', resourceMetadata(rootUrl, '/mcp', links)),
    constantRoute('/.well-known/oauth-authorization-server', serverMetadata(rootUrl, options, links)),
    // Cached for a shorter time than a new key waits before it signs.
    documentRoute('/.well-known/jwks.json', async () => ({ keys: await keys.published() }), 60),
    clientRoute('POST', '/oauth/register', makeRegister({ store, clock, addressOf })),
    clientRoute('POST', '/oauth/token', makeToken({ store, clock, log, rootUrl, options, provider })),
    clientRoute('POST', '/oauth/revoke', makeRevoke({ store, clock })),
    browserRoute('/oauth/authorize', authorize),
    { ...browserRoute('/oauth/authorize/{uid}', (ctx, { uid }) => resume(ctx, uid!)), trailingSlash: false },
  ];

  return Object.freeze({
    routes,
    ...tokens,
    interactions: makeInteractions({ store, clock, provider, rootUrl, forget }),
    /** Adds a signing key, which replaces the current one in five minutes. */
    rotateKeys: keys.rotate,

    /** Removes expired rows and rotates an old key; call again until it returns 0. */
    async sweep(): Promise<number> {
      await keys.sweep();
      const now = clock.now();
      return store.write(async ({ db }) => {
        const records = await sweepRecords(db, {
          expiredBefore: now - MINUTE,
          // Replay detection needs used codes and tokens until they expire.
          spentBefore: options.replayRevokes ? 0 : now - DAY,
          limit: SWEEP,
        });
        return records + (await sweepClients(db, now - IDLE_CLIENT_MS, SWEEP));
      });
    },
  });
}

export type OAuth = ReturnType<typeof makeOAuth>;
