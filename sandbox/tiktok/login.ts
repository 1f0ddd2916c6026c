/** The consent page that both products share, and the tokens of each. */
import type { Context } from 'koa';
import { PageError } from '../forms.ts';
import type { Params } from '../kit/api/params.ts';
import { APP_ID, makePersonConsent } from '../kit/oauth/login.ts';
import { isOurClient, type ClientAuth } from '../kit/oauth/secrets.ts';
import { openTokens, type TokenPair } from '../kit/oauth/tokens.ts';
import { ABOUT } from './about.ts';
import type { Product } from './docs.ts';
import { LoginError, WORDS } from './errors.ts';
import type { Names, World } from './world.ts';

const DAY_S = 86_400;

const SCOPES = Object.freeze({
  developers: 'user.info.basic user.info.profile user.info.stats video.list video.publish video.upload'.split(' '),
  business: `user.info.basic user.info.username user.info.profile user.info.stats user.account.type user.insights
    video.list video.insights video.publish video.upload comment.list comment.list.manage message.list.read
    message.list.send message.list.manage biz.brand.insights biz.spark.auth`.split(/\s+/),
});

/** The product of a code. A scope that only the API for Business has decides it. */
const productOf = (scopes: readonly string[]): Product =>
  scopes.every((scope) => SCOPES.developers.includes(scope)) ? 'developers' : 'business';

/** TikTok wants challenges in hexadecimal, and requires one of apps that run on people's own machines. */
const CHALLENGE = /^[\da-f]{64}$/;
const isLocal = (address: string): boolean => /^http:\/\/(?:localhost|127\.0\.0\.1)[:/]/.test(address);

function openProducts({ options, settings }: World) {
  const { store, clock } = options;
  const open = (product: Product, prefix: string, access: () => number, refresh: () => number) =>
    openTokens(store, prefix, clock, {
      lives: {
        code: 600,
        get access() {
          return access();
        },
        get refresh() {
          return refresh();
        },
      },
      rotates: true,
      starts: { code: 'c!', access: 'act.', refresh: 'rft.' },
      refuse(kind, flaw) {
        if (kind === 'access') return flaw === 'expired' ? WORDS[product].expired() : WORDS[product].badToken();
        const what = `The ${kind === 'code' ? 'authorization code' : 'refresh token'} is invalid or expired`;
        if (product === 'developers') return new LoginError('invalid_grant', what);
        return kind === 'code' ? WORDS.business.invalid(what) : WORDS.business.badToken();
      },
    });
  const days = () => settings.get('refresh_days') * DAY_S;
  return {
    developers: open('developers', ABOUT.prefix, () => settings.get('access_seconds'), days),
    business: open(
      'business',
      `${ABOUT.prefix}_business`,
      () => DAY_S,
      () => 365 * DAY_S,
    ),
  };
}

/** The consent page. The requested scopes decide which product issues the code. */
function openConsent({ options, people }: World, products: ReturnType<typeof openProducts>) {
  return makePersonConsent({
    twin: options,
    network: ABOUT.title,
    people,
    terms: {
      clientField: 'client_key',
      scopes: [...SCOPES.developers, ...SCOPES.business],
      separator: /,/,
      words: {
        client: 'Something went wrong: client_key',
        redirect: 'Something went wrong: redirect_uri',
        type: 'Something went wrong: unsupported_response_type',
        scopes: 'Something went wrong: scope {scopes}',
      },
      check(query) {
        const scope = query.get('scope') ?? '';
        const isBusiness = productOf(scope.split(',')) === 'business';
        if (scope === '') throw new PageError(400, 'Something went wrong: scope');
        if (isBusiness && query.get('redirect_uri')?.endsWith('/') !== true)
          throw new PageError(400, 'Something went wrong: the redirect_uri of a business app ends with a slash');
        const challenge = query.get('code_challenge');
        const isWanted = !isBusiness && isLocal(query.get('redirect_uri') ?? '');
        if (challenge === null ? isWanted : !CHALLENGE.test(challenge))
          throw new PageError(400, 'Something went wrong: code_challenge');
      },
    },
    allow({ redirect_uri, scopes: requestedScopes, query }, person, scopes) {
      const product = productOf(requestedScopes);
      const hex = query.get('code_challenge');
      const isProved = product === 'developers' && hex !== null;
      const challenge = isProved ? Buffer.from(hex, 'hex').toString('base64url') : undefined;
      const code = products[product].code({ person, scopes, profiles: [] }, { redirect_uri, challenge });
      return { code, ...(product === 'business' ? { auth_code: code } : { scopes: scopes.join(',') }) };
    },
  });
}

export type Login = ReturnType<typeof makeLogin>;

export function makeLogin(world: World, names: Names) {
  const keys = new Map<string, string>();
  const products = openProducts(world);

  function exchange(product: Product, params: Params, grant: string, code: string): TokenPair & { about: object } {
    const tokens = products[product];
    const pair =
      grant === 'refresh_token'
        ? tokens.refresh(params.required('refresh_token'))
        : tokens.redeem(params.required(code), {
            redirect_uri: params.required('redirect_uri'),
            verifier: params.text('code_verifier'),
          });
    const { person, scopes } = pair.grant;
    return {
      ...pair,
      about: { open_id: names.openId(product, person), scope: scopes.join(','), token_type: 'Bearer' },
    };
  }

  return Object.freeze({
    ...products,
    consent: openConsent(world, products),
    /** Whether the sandbox's app is calling. */
    isApp: (ctx: Context, params: Params, fields: Omit<ClientAuth, 'by'>): boolean =>
      isOurClient(ctx, params, { by: 'body', ...fields }, { id: APP_ID, secret: world.options.appSecret }),
    forDevelopers(params: Params): object {
      const type = params.required('grant_type');
      if (type !== 'refresh_token' && type !== 'authorization_code')
        throw new LoginError('unsupported_grant_type', `There is no grant type ${type.slice(0, 40)}`);
      const { grant: _, about, ...pair } = exchange('developers', params, type, 'code');
      return { ...pair, ...about };
    },
    forBusiness(params: Params, type: string): object {
      if (params.required('grant_type') !== type) throw WORDS.business.invalid('grant_type is invalid');
      const { grant: _, about, refresh_expires_in, ...pair } = exchange('business', params, type, 'auth_code');
      return { ...pair, refresh_token_expires_in: refresh_expires_in, ...about };
    },
    /** A token of the API for Business as its portal issues it. It stays the same until it expires. */
    keyOf(person: string): string {
      const known = keys.get(person) ?? '';
      if (products.business.holder(known) !== undefined) return known;
      const { access_token } = products.business.pairFor({ person, scopes: SCOPES.business, profiles: [] });
      keys.set(person, access_token);
      return access_token;
    },
    isLinked: (product: Product, person: string): boolean => products[product].granted(person) !== undefined,
  });
}
