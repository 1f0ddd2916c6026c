/** The consent page, the tokens of people and the tokens of apps. */
import type { Context } from 'koa';
import { safeEqual } from '#kernel/sign.ts';
import { PageError } from '../forms.ts';
import type { Params } from '../kit/api/params.ts';
import type { Caller } from '../kit/api/routes.ts';
import { makePersonConsent } from '../kit/oauth/login.ts';
import { basicOf } from '../kit/oauth/secrets.ts';
import { openTokens } from '../kit/oauth/tokens.ts';
import { ownOrigins } from '../kit/options.ts';
import { ABOUT } from './about.ts';
import { badToken, LoginError, Problem, unauthorized } from './errors.ts';
import type { Apps, Users, World } from './world.ts';

const SCOPES =
  `tweet.read tweet.write tweet.moderate.write users.read users.email follows.read follows.write media.write
  dm.read dm.write like.read like.write list.read list.write block.read block.write mute.read mute.write space.read
  bookmark.read bookmark.write offline.access`.split(/\s+/);
const WRONG = 'Something went wrong. You weren’t able to give access to the App.';
const CHALLENGE = /^[\w.~-]{43,128}$/;
const LONGEST_STATE = 500;
const HALF_A_YEAR_S = 180 * 86_400;

/** An app that acts for a person or for itself. */
export type XCaller = Caller & Readonly<{ client: string; isApp: boolean }>;
export type Login = ReturnType<typeof makeLogin>;
type Tokens = ReturnType<typeof openTokens>;

function makeDialog({ options }: World, people: Pick<Users, 'owners' | 'find'>, apps: Apps, tokens: Tokens) {
  const isRight = (given: (name: string) => string, callback = '') =>
    (callback === '' || given('redirect_uri') === callback) &&
    given('response_type') === 'code' &&
    given('code_challenge_method').toUpperCase() === 'S256' &&
    CHALLENGE.test(given('code_challenge')) &&
    given('state') !== '' &&
    given('state').length <= LONGEST_STATE &&
    given('scope').trim() !== '';
  return makePersonConsent({
    twin: options,
    network: ABOUT.title,
    people,
    terms: {
      clientId: (id) => apps.get(id) !== undefined,
      scopes: SCOPES,
      separator: /\s+/,
      origins: () => [...ownOrigins(options), ...apps.origins()],
      words: { client: WRONG, redirect: WRONG, type: WRONG, scopes: `${WRONG} ({scopes})` },
      check(query) {
        const given = (name: string) => query.get(name) ?? '';
        if (!isRight(given, apps.get(given('client_id'))?.callback)) throw new PageError(400, WRONG);
      },
    },
    allow({ query, redirect_uri }, person, scopes) {
      const grant = { person, scopes, profiles: [], client: query.get('client_id') ?? '' };
      const challenge = query.get('code_challenge') ?? '';
      const isAccessOnly = !scopes.includes('offline.access');
      return { code: tokens.code(grant, { redirect_uri, challenge, isAccessOnly }) };
    },
  });
}

export function makeLogin(world: World, users: Users, apps: Apps) {
  const { store, clock } = world.options;
  const tokens = openTokens(store, ABOUT.prefix, clock, {
    lives: { code: 30, access: 7200, refresh: HALF_A_YEAR_S },
    rotates: true,
    refuse(kind, flaw) {
      if (kind === 'access') return unauthorized();
      if (flaw === 'verifier') return badToken('code_verifier');
      if (flaw === 'redirect') return badToken('redirect_uri');
      return badToken(kind === 'code' ? 'authorization code' : 'token');
    },
  });
  const wanted = (params: Params, name: string): string => {
    const value = params.text(name) ?? '';
    if (value === '') throw new LoginError(400, 'invalid_request', `Missing required parameter [${name}].`);
    return value;
  };
  const badGrant = (type: string) =>
    new LoginError(400, 'unsupported_grant_type', `Grant type [${type.slice(0, 80)}] is not supported.`);

  return Object.freeze({
    tokens,
    consent: makeDialog(world, users, apps, tokens),
    token(ctx: Context, params: Params): object {
      const { id: client } = apps.calling(ctx, params);
      const type = wanted(params, 'grant_type');
      if (type !== 'refresh_token' && type !== 'authorization_code') throw badGrant(type);
      const made =
        type === 'refresh_token'
          ? tokens.refresh(wanted(params, 'refresh_token'), client)
          : tokens.redeem(wanted(params, 'code'), {
              redirect_uri: wanted(params, 'redirect_uri'),
              verifier: wanted(params, 'code_verifier'),
              client,
            });
      const { grant, access_token, expires_in, refresh_token } = made;
      return { token_type: 'bearer', expires_in, access_token, scope: grant.scopes.join(' '), refresh_token };
    },
    /** Handles `/2/oauth2/revoke`, which ends all tokens that the app has for the person. */
    revoke(ctx: Context, params: Params): object {
      const { id: client } = apps.calling(ctx, params);
      const grant = tokens.givenFor(wanted(params, 'token'));
      if (grant?.client === client) tokens.revoke(grant.person, client);
      return { revoked: true };
    },
    appToken(ctx: Context, params: Params): object {
      const [key, secret] = basicOf(ctx) ?? ['', ''];
      const app = apps.by('consumer_key', key);
      const message = 'Unable to verify your credentials';
      if (app === undefined || !safeEqual(secret, app.consumer_secret))
        throw new Problem(403, 'Forbidden', message, '', {
          errors: [{ code: 99, message, label: 'authenticity_token_error' }],
        });
      if (params.text('grant_type') !== 'client_credentials') throw badGrant(params.text('grant_type') ?? '');
      return { token_type: 'bearer', access_token: app.bearer };
    },
    grantOf(token: string): XCaller {
      const app = apps.by('bearer', token);
      if (app !== undefined) return { person: app.page_id, scopes: SCOPES, client: app.id, isApp: true };
      const { person, scopes, client = '' } = tokens.grantOf(token);
      return { person, scopes, client, isApp: false };
    },
    /** The person a token belongs to, even if it is no longer valid. */
    personOf: (token: string): string | undefined => tokens.personOf(token) ?? apps.by('bearer', token)?.page_id,
  });
}
