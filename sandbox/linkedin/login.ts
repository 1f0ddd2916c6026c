import { PageError } from '../forms.ts';
import type { Caller, RouteCall } from '../kit/api/routes.ts';
import { seconds } from '../kit/ids.ts';
import { makeSigner } from '../kit/oauth/jwt.ts';
import { APP_ID, openCodeLogin } from '../kit/oauth/login.ts';
import { ABOUT } from './about.ts';
import { badToken, expiredToken, OAuthError, revokedToken } from './errors.ts';
import type { World } from './world.ts';

const DAY_S = 86_400;
/** The scopes of each kind of app. An app with the Community Management API cannot have other products. */
const PRODUCTS = Object.freeze({
  sharing: 'openid profile email w_member_social'.split(' '),
  community: `r_basicprofile w_member_social r_member_social w_organization_social r_organization_social
    rw_organization_admin r_organization_admin w_member_social_feed r_member_social_feed w_organization_social_feed
    r_organization_social_feed r_member_postAnalytics r_member_profileAnalytics`.split(/\s+/),
});
const UNAUTHORIZED = 'unauthorized_scope_error: Scope {scopes} is not authorized for your application';

/** Throws if no single app can have all of the scopes. */
function checkProduct(query: URLSearchParams): void {
  const requestedScopes = (query.get('scope') ?? '').split(/[\s,]+/).filter(Boolean);
  const lacking = Object.values(PRODUCTS).map((own) => requestedScopes.filter((scope) => !own.includes(scope)));
  if (lacking.every((scopes) => scopes.length > 0))
    throw new PageError(400, UNAUTHORIZED.replace('{scopes}', lacking[1]!.join(', ').slice(0, 300)));
}

const invalid = (description: string) => new OAuthError(400, 'invalid_request', description);

export type Login = ReturnType<typeof makeLogin>;

export function makeLogin({ options, people, settings }: World) {
  const signer = makeSigner(ABOUT.slug);
  const { tokens, consent, exchange } = openCodeLogin({
    twin: options,
    prefix: ABOUT.prefix,
    network: ABOUT.title,
    people,
    terms: {
      scopes: Object.values(PRODUCTS).flat(),
      words: {
        client: 'The passed in client_id is invalid',
        redirect: 'The redirect_uri does not match the registered value',
        type: 'unsupported_response_type',
        scopes: UNAUTHORIZED,
      },
      check(query) {
        if (query.get('response_type') === null) throw new PageError(400, 'response_type is missing');
        checkProduct(query);
      },
    },
    rules: {
      lives: { code: 1800, access: 60 * DAY_S, refresh: 365 * DAY_S },
      refuse(kind, flaw) {
        if (kind !== 'access')
          return invalid(`The provided ${kind} is invalid, expired, revoked or of another redirect`);
        if (flaw === 'expired') return expiredToken();
        return flaw === 'revoked' ? revokedToken() : badToken();
      },
    },
    auth: { by: 'body' },
    words: {
      client: () => new OAuthError(401, 'invalid_client', 'Client authentication failed'),
      grant: () => invalid('A valid grant_type is required'),
    },
    isAccessOnly: () => !settings.get('refresh_tokens'),
  });

  function claims({ person, scopes }: Caller, picture?: string): object {
    const { handle, name } = people.byId(person)!;
    const [given_name, family_name] = name.split(' ');
    const profile = { name, given_name, family_name, locale: { country: 'US', language: 'en' }, picture };
    const email = { email: handle.replace('.', '@'), email_verified: true };
    return { sub: person, ...(scopes.includes('profile') && profile), ...(scopes.includes('email') && email) };
  }

  return Object.freeze({
    tokens,
    consent,
    claims,
    /** Handles `/oauth/v2/accessToken`, which accepts only forms. */
    token({ ctx, params }: RouteCall<Caller>): object {
      if (!ctx.is('application/x-www-form-urlencoded')) throw invalid('A required parameter "client_id" is missing');
      const isRefresh = params.text('grant_type') === 'refresh_token';
      if (isRefresh && !settings.get('refresh_tokens')) throw invalid('The app may not use refresh tokens');
      const { grant, refresh_expires_in, ...pair } = exchange(ctx, params);
      const now = seconds(options.clock.now());
      const terms = { iss: 'https://www.linkedin.com/oauth', aud: APP_ID, iat: now, exp: now + 3600 };
      return {
        ...pair,
        ...(refresh_expires_in !== undefined && { refresh_token_expires_in: refresh_expires_in }),
        scope: grant.scopes.join(','),
        token_type: 'Bearer',
        ...(!isRefresh && grant.scopes.includes('openid') && { id_token: signer.sign({ ...terms, ...claims(grant) }) }),
      };
    },
  });
}
