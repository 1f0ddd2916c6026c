import Provider, { errors, type Configuration } from 'oidc-provider';
import { findUser } from '#db/access/users.ts';
import type { Store } from '#db/store/store.ts';
import type { Clock } from '#kernel/clock.ts';
import { ApiError, StoreUnavailable, type ErrorCode } from '#kernel/errors.ts';
import type { Log } from '#kernel/log.ts';
import type { Outbound } from '#kernel/net/request.ts';
import type { Sealer } from '#kernel/seal.ts';
import { makeAdapter } from './adapter.ts';
import { readClientDocument } from './client-document.ts';
import type { Keys, SigningKey } from './keys.ts';
import {
  ADDRESS_PARAM,
  GRANT_TYPES,
  LIFE,
  PLAIN_MODE,
  RESPONSE_TYPES,
  RESUME_COOKIE,
  SCOPE,
  SESSION_COOKIE,
  type OAuthOptions,
} from './constants.ts';

export type ProviderDeps = Readonly<{
  store: Store;
  clock: Clock;
  log: Log;
  rootUrl: string;
  sealer: Sealer;
  outbound: Pick<Outbound, 'send'>;
  keys: Keys;
  options: OAuthOptions;
  /** Clears the cache of callers. */
  forget(): void;
}>;

/** Returns the current provider. A provider signs with one key, so the next key needs a new provider. */
export function makeProviders(deps: ProviderDeps): () => Promise<Provider> {
  let current: Readonly<{ kid: string; provider: Provider }> | undefined;
  return async () => {
    const signer = await deps.keys.signer();
    if (current?.kid !== signer.kid) current = { kid: signer.kid, provider: makeProvider(deps, signer) };
    return current.provider;
  };
}

function makeProvider(deps: ProviderDeps, signer: SigningKey): Provider {
  const provider = new Provider(deps.rootUrl, configurationOf(deps, signer));

  provider.registerResponseMode(PLAIN_MODE, (ctx, redirectUri, payload) => {
    ctx.status = 303;
    ctx.set('Location', withFields(redirectUri, payload, deps.options.iss === true));
  });
  // Metadata documents often name one grant type; every client may refresh here.
  provider.Client.prototype.grantTypeAllowed = (type: string) => (GRANT_TYPES as readonly string[]).includes(type);
  // Runs before the provider answers: docs/contract/access.md#authorize-endpoint.
  provider.on('authorization.error', (ctx, error) => {
    error.allow_redirect = ctx.oidc.route === 'resume' && error instanceof errors.AccessDenied;
  });
  provider.on('server_error', (ctx, error) => {
    (error as { allow_redirect?: boolean }).allow_redirect = false;
    deps.log.error({ error, route: ctx.oidc.route }, 'the OAuth provider failed');
    if (error instanceof StoreUnavailable) ctx.status = 503;
  });
  return provider;
}

function configurationOf(deps: ProviderDeps, signer: SigningKey): Configuration {
  const { store, clock, options, forget } = deps;
  return {
    adapter: makeAdapter({ store, clock, replayRevokes: options.replayRevokes === true, forget }),
    jwks: { keys: [signer.jwk] },
    routes: {
      authorization: '/oauth/authorize',
      token: '/oauth/token',
      end_session: '/oauth/_end',
    },
    interactions: { url: (_, { uid }) => `/oauth/consent/${uid}` },
    cookies: cookiesOf(deps),
    ...clientRules(),
    ...tokenRules(clock),
    extraParams: [ADDRESS_PARAM],
    pkce: { required: () => true },
    clientBasedCORS: () => true,
    renderError: (_, _out, error) => {
      throw refusalOf(error);
    },
    findAccount: async (_, id) => {
      const user = await findUser(store.db, id);
      return user?.disabled_at === null ? { accountId: id, claims: () => ({ sub: id }) } : undefined;
    },
    fetch: (url) => readClientDocument(deps.outbound, url instanceof Request ? url.url : String(url)),
    features: featuresOf(deps),
  };
}

function cookiesOf({ rootUrl, sealer }: ProviderDeps): Configuration['cookies'] {
  const cookie = { httpOnly: true, sameSite: 'lax', signed: true, secure: rootUrl.startsWith('https:') } as const;
  return {
    keys: [sealer.derive('oauth cookies').export().toString('hex')],
    names: { interaction: 'oauth_i', resume: RESUME_COOKIE, session: SESSION_COOKIE },
    short: cookie,
    long: cookie,
  };
}

/** What clients may request, and how they register. */
function clientRules(): Configuration {
  return {
    // The scope belongs to the resource. If it were listed here, the provider would ask for consent forever.
    scopes: [],
    claims: {},
    responseTypes: [...RESPONSE_TYPES],
    clientAuthMethods: ['none'],
    clientDefaults: {
      grant_types: [...GRANT_TYPES],
      response_types: [...RESPONSE_TYPES],
      token_endpoint_auth_method: 'none',
      id_token_signed_response_alg: 'EdDSA',
    },
    enabledJWA: { idTokenSigningAlgValues: ['EdDSA'] },
    allowOmittingSingleRegisteredRedirectUri: false,
  };
}

function tokenRules(clock: Clock): Configuration {
  return {
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    expiresWithSession: async () => false,
    clockTolerance: 0,
    ttl: {
      AccessToken: LIFE.access,
      AuthorizationCode: LIFE.code,
      RefreshToken: LIFE.refresh,
      Interaction: LIFE.consent,
      Session: LIFE.consent,
      // Until the first token exists: the lifetime of the request and its code.
      Grant: LIFE.consent + LIFE.code,
    },
    formats: {
      customizers: {
        jwt(_, token, { payload }) {
          const now = Math.floor(clock.now() / 1000);
          payload['iat'] = now;
          payload['exp'] = now + LIFE.access;
          payload['grant'] = 'grantId' in token ? token.grantId : undefined;
        },
      },
    },
  };
}

function featuresOf({ rootUrl, options }: ProviderDeps): Configuration['features'] {
  return {
    devInteractions: { enabled: false },
    userinfo: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => rootUrl,
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({
        scope: SCOPE,
        audience: rootUrl,
        accessTokenFormat: 'jwt',
        accessTokenTTL: LIFE.access,
        jwt: { sign: { alg: 'EdDSA' } },
      }),
    },
    ...(options.clientIdMetadata && { clientIdMetadataDocument: { enabled: true, ack: 'draft-02' } }),
  };
}

/** The redirect to a client; its registered URI stays as written. */
function withFields(redirectUri: string, payload: Readonly<Record<string, unknown>>, iss: boolean): string {
  const names = ['error' in payload ? 'error' : 'code', 'state', ...(iss ? ['iss'] : [])];
  const fields = names
    .filter((name) => payload[name] !== undefined)
    .map((name) => `${name}=${encodeURIComponent(String(payload[name]))}`);
  const further = /[?&]$/.test(redirectUri) ? '' : '&';
  const joint = redirectUri.includes('?') ? further : '?';
  return redirectUri + joint + fields.join('&');
}

/** Maps the provider's errors to our catalogue; other failures pass. */
function refusalOf(error: unknown): unknown {
  if (error instanceof errors.InvalidRedirectUri) {
    // The error's usual advice is about the workspace's redirect URIs, not those of clients.
    const next = 'Use one that the client registered, or register it again at /oauth/register with this one.';
    return new ApiError('auth.oauth.invalid_redirect', { next, meta: { field: 'redirect_uri' }, cause: error });
  }
  const code = codeOf(error);
  return code === undefined ? error : new ApiError(code, { cause: error });
}

function codeOf(error: unknown): ErrorCode | undefined {
  if (error instanceof errors.InvalidClient || error instanceof errors.InvalidClientMetadata) {
    return 'auth.oauth.invalid_client';
  }
  // Every other client error means that the client has to start again.
  return error instanceof errors.OIDCProviderError && error.expose ? 'auth.oauth.request_expired' : undefined;
}
