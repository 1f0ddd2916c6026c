/** Google's login: the consent page, codes, tokens and claims about the person. */
import { PageError } from '../forms.ts';
import { actsIn, oneOf, type Acts } from '../kit/acts.ts';
import { answer, route } from '../kit/api/routes.ts';
import { pickPerson } from '../kit/action-fields.ts';
import { makeConsent, type AuthorizationRequest, type Consent } from '../kit/oauth/consent.ts';
import { makeExchange } from '../kit/oauth/exchange.ts';
import { bearerOf } from '../kit/oauth/secrets.ts';
import { openTokens, type Grant, type TokenFlaw, type TokenKind, type TokenPair } from '../kit/oauth/tokens.ts';
import { ownOrigins, type TwinOptions } from '../kit/options.ts';
import type { Person } from '../kit/people.ts';
import type { Settings } from '../kit/settings.ts';
import { APP, type GoogleCall, type GoogleRoute } from './calls.ts';
import { OAuthError } from './errors.ts';
import { isSignIn, makeIdentity, SIGN_IN, SIGN_IN_SCOPES } from './identity.ts';
import type { GoogleKeys } from './keys.ts';

const HOUR_S = 3600;
const DAY_S = 86_400;
const CODE_LIFE_S = 10 * 60;
/** A refresh token expires after half a year without use; in testing, after a week. */
const UNUSED_LIFE_S = 180 * DAY_S;
const TESTING_LIFE_S = 7 * DAY_S;
const MOST_TOKENS = 100;

export const LOGIN_SETTINGS = Object.freeze({
  /** Whether the app's publishing status is "Testing". */
  app_in_testing: false,
  /** Whether no refresh tokens are issued, as if the app had forgotten to request them. */
  no_refresh_token: false,
});

/** An entry of the account chooser: a person or one of their profiles. */
type Choice = Readonly<{ id: string; name: string; person: string; profile?: string }>;

export type LoginOptions = Readonly<{
  twin: TwinOptions;
  slug: string;
  prefix: string;
  title: string;
  /** The scopes of the product; those of the login are added. */
  scopes: readonly string[];
  /** Former names of scopes, with their present names. */
  formerly?: Readonly<Record<string, string>>;
  settings: Settings<typeof LOGIN_SETTINGS>;
  keys: GoogleKeys;
  people: Readonly<{
    byId(id: string): Person | undefined;
    find(words: string): Person | undefined;
    owners(): readonly Person[];
  }>;
  choices(): readonly Choice[];
  picture(person: string): string;
}>;

const invalidGrant = (message: string) => new OAuthError(400, 'invalid_grant', message);

function refuseToken(kind: TokenKind, flaw: TokenFlaw): OAuthError {
  if (kind === 'access') return new OAuthError(400, 'invalid_token', 'Invalid Value');
  if (kind === 'refresh') return invalidGrant('Token has been expired or revoked.');
  if (flaw === 'redirect') return new OAuthError(400, 'redirect_uri_mismatch', 'Bad Request');
  if (flaw === 'verifier') return invalidGrant('Invalid code verifier.');
  return invalidGrant(flaw === 'unknown' ? 'Malformed auth code.' : 'Bad Request');
}

function checkAuthorizationRequest(query: URLSearchParams): void {
  const words: Readonly<Record<string, readonly string[]>> = {
    access_type: ['online', 'offline'],
    code_challenge_method: ['S256'],
    include_granted_scopes: ['true', 'false'],
  };
  for (const [name, known] of Object.entries(words)) {
    const value = query.get(name);
    if (value !== null && !known.includes(value))
      throw new PageError(
        400,
        `Error 400: invalid_request. Invalid parameter value for ${name}: ${value.slice(0, 80)}`,
      );
  }
  for (const prompt of (query.get('prompt') ?? '').split(' ').filter(Boolean))
    if (!['none', 'consent', 'select_account'].includes(prompt))
      throw new PageError(400, `Error 400: invalid_request. Invalid prompt: ${prompt.slice(0, 80)}`);
  if ((query.get('scope') ?? '').trim() === '')
    throw new PageError(400, 'Error 400: invalid_request. Missing required parameter: scope');
}

function makeDialog(options: LoginOptions, tokens: GoogleTokens) {
  const { twin, slug, title, scopes, formerly = {}, choices, people, settings } = options;
  const names = new Map([...SIGN_IN, ...Object.entries(formerly)]);
  /** Finds an entry by its own id, or by the id of a profile or person. */
  function chosen(who: string, profiles: readonly string[] | undefined): Choice | undefined {
    const [lines, id] = [choices(), people.find(who)?.id];
    const line = lines.find((one) => one.id === who);
    return line ?? lines.find((one) => one.person === id && (profiles?.includes(one.profile ?? '') ?? true));
  }
  function allow(
    { redirect_uri, scopes: requestedScopes, query }: AuthorizationRequest,
    { person: who, profiles, scopes: ticked }: Consent,
  ) {
    const choice = chosen(who, profiles);
    if (choice === undefined) throw new PageError(400, 'There is no such account.');
    const { person, profile } = choice;
    const isTicked = (scope: string) => isSignIn(scope) || ticked === undefined || ticked.includes(scope);
    const given = requestedScopes.filter(isTicked).map((scope) => names.get(scope) ?? scope);
    const before = tokens.granted(person);
    const all = query.get('include_granted_scopes') === 'true' ? [...(before ?? []), ...given] : given;
    const granted = [...new Set(all)];
    // Consent is repeated, and a new refresh token issued, only if the app requests it.
    const isRequested = before === undefined || (query.get('prompt') ?? '').split(' ').includes('consent');
    const isOffline = query.get('access_type') === 'offline' && isRequested && !settings.get('no_refresh_token');
    const grant: Grant = { person, scopes: granted, profiles: profile === undefined ? [] : [profile] };
    const challenge = query.get('code_challenge') ?? undefined;
    const code = tokens.code(grant, { redirect_uri, challenge, isAccessOnly: !isOffline });
    return { code, scope: granted.join(' '), authuser: '0', prompt: isRequested ? 'consent' : 'none' };
  }

  return makeConsent({
    title: `Sign in with Google: ${title}`,
    app: APP.name,
    network: 'Google',
    forms: twin.forms,
    terms: {
      clientId: APP.id,
      scopes: [...SIGN_IN_SCOPES, ...Object.keys(formerly), ...scopes],
      separator: /\s+/,
      origins: () => ownOrigins(twin),
      path: `/connect/${slug}/callback`,
      words: {
        client: 'Error 401: invalid_client. The OAuth client was not found.',
        redirect:
          'Error 400: redirect_uri_mismatch. The redirect URI is not one of those registered for the OAuth client.',
        type: 'Error 400: unsupported_response_type',
        scopes: 'Error 400: invalid_scope. Some requested scopes were invalid: {scopes}',
      },
      check: checkAuthorizationRequest,
    },
    people: () => choices().map(({ id, name }) => ({ id, name, profiles: [] })),
    allow,
    denied: { error: 'access_denied' },
  });
}

const openGoogleTokens = ({ twin, prefix, settings }: LoginOptions) =>
  openTokens(twin.store, prefix, twin.clock, {
    lives: {
      code: CODE_LIFE_S,
      access: HOUR_S,
      get refresh() {
        return settings.get('app_in_testing') ? TESTING_LIFE_S : UNUSED_LIFE_S;
      },
    },
    slides: true,
    most: MOST_TOKENS,
    starts: { code: '4/0A', access: 'ya29.a0', refresh: '1//0g' },
    refuse: refuseToken,
  });
type GoogleTokens = ReturnType<typeof openGoogleTokens>;

/** The token endpoint. The app authenticates in the body or by Basic. */
function makeTokenEndpoint({ twin }: LoginOptions, tokens: GoogleTokens, idToken: (grant: Grant) => string) {
  const words = {
    client: () => new OAuthError(401, 'invalid_client', 'The OAuth client was not found.'),
    grant: (type: string) => new OAuthError(400, 'unsupported_grant_type', `Invalid grant_type: ${type.slice(0, 80)}`),
  };
  const app = { id: APP.id, secret: twin.appSecret };
  const byBody = makeExchange({ tokens, auth: { by: 'body' }, app, words });
  const byBasic = makeExchange({ tokens, auth: { by: 'basic' }, app, words });

  function viewOf({ grant, access_token, expires_in, refresh_token }: TokenPair, isNew: boolean) {
    return {
      access_token,
      // A second less than an hour, as on the real network.
      expires_in: expires_in - 1,
      ...(isNew && refresh_token !== undefined && { refresh_token }),
      scope: grant.scopes.join(' '),
      token_type: 'Bearer',
      ...(grant.scopes.includes('openid') && { id_token: idToken(grant) }),
    };
  }
  return ({ ctx, params }: GoogleCall): unknown => {
    const exchange = /^Basic /i.test(ctx.get('authorization')) ? byBasic : byBody;
    return viewOf(exchange(ctx, params), params.text('grant_type') !== 'refresh_token');
  };
}

function loginActs({ twin: { store }, people }: LoginOptions, tokens: GoogleTokens): Acts {
  const act = actsIn(store);
  const person = pickPerson('Who', people.find, people.owners);
  return {
    revoke_app: act('owner', 'Remove the app from a Google account', { person }, (of) => tokens.revoke(of.person.id)),
    expire_tokens: act(
      'twin',
      'Let tokens of a person expire',
      { person, kind: oneOf('Kind', ['access', 'refresh']) },
      (of) => tokens.expire(of.person.id, of.kind as TokenKind),
    ),
  };
}

export type GoogleLogin = ReturnType<typeof openLogin>;

/** Opens a simulator's login: the page, the tokens and the routes of the OAuth hosts. */
export function openLogin(options: LoginOptions) {
  const { keys, twin } = options;
  const tokens = openGoogleTokens(options);
  const consent = makeDialog(options, tokens);
  const identity = makeIdentity(options);
  function revoke({ params }: GoogleCall): unknown {
    const { person } = tokens.holder(params.required('token')) ?? {};
    if (person === undefined) throw new OAuthError(400, 'invalid_token', 'Token expired or revoked');
    twin.store.write(() => tokens.revoke(person));
    return {};
  }
  function tokenInfo({ ctx, params }: GoogleCall): unknown {
    const given = bearerOf(ctx.get('authorization')) ?? params.required('access_token');
    const { expires_at = 0 } = tokens.holder(given) ?? {};
    const grant = tokens.grantOf(given);
    const { email, email_verified, sub } = identity.claimsOf(grant);
    const [exp, left] = [expires_at, expires_at - twin.clock.now()].map((ms) => String(Math.floor(ms / 1000)));
    const who = { sub, email, email_verified: email_verified && 'true' };
    return {
      azp: APP.id,
      aud: APP.id,
      scope: grant.scopes.join(' '),
      access_type: 'offline',
      exp,
      expires_in: left,
      ...who,
    };
  }
  const userinfo = ({ caller }: GoogleCall) => identity.claimsOf(caller);
  /** The older format, which has `id` instead of `sub`. */
  const oldUserinfo = ({ caller }: GoogleCall) => {
    const { sub, email_verified, ...more } = identity.claimsOf(caller);
    return { id: sub, ...more, ...(email_verified !== undefined && { verified_email: email_verified }) };
  };
  const certs = () => answer(keys.published(), 200, { 'cache-control': 'public, max-age=19800, must-revalidate' });

  const on = (verb: string, path: string, isOpen: boolean, run: (call: GoogleCall) => unknown): GoogleRoute =>
    route(verb, path, { ...(isOpen && { isOpen }), effect: verb !== 'GET' }, run);
  return Object.freeze({
    tokens,
    acts: { consent: consent.act((words) => words), ...loginActs(options, tokens) },
    answerConsent: consent.answer,
    /** Routes of `oauth2.googleapis.com`, `openidconnect.googleapis.com` and part of `www.googleapis.com`. */
    oauth2: [
      on('POST', '/token', true, makeTokenEndpoint(options, tokens, identity.idToken)),
      on('POST', '/revoke', true, revoke),
      on('GET', '/tokeninfo', true, tokenInfo),
      on('POST', '/tokeninfo', true, tokenInfo),
    ],
    openid: [on('GET', '/v1/userinfo', false, userinfo), on('POST', '/v1/userinfo', false, userinfo)],
    www: [
      on('GET', '/oauth2/v3/certs', true, certs),
      on('GET', '/oauth2/v3/userinfo', false, userinfo),
      on('GET', '/oauth2/v2/userinfo', false, oldUserinfo),
    ],
    /** Finds the person that a call without an access token concerns. */
    about: (given: string | undefined) => (given === undefined ? undefined : tokens.personOf(given)),
  });
}
