import type { Context } from 'koa';
import { PageError } from '../forms.ts';
import { makeExchange } from '../kit/oauth/exchange.ts';
import { APP_ID, makePersonConsent } from '../kit/oauth/login.ts';
import { openTokens } from '../kit/oauth/tokens.ts';
import type { Params } from '../kit/api/params.ts';
import { ABOUT } from './about.ts';
import { badToken, deadToken, LoginError } from './errors.ts';
import type { World } from './world.ts';

const DAY_S = 86_400;
const CHALLENGE = /^[\w-]{43}$/;
const VERIFIER = /^[\w.~-]{43}$/;

export type Login = ReturnType<typeof makeLogin>;

export function makeLogin({ options, docs, people, settings }: World) {
  const { store, clock, appSecret } = options;
  const refusal = (number: number, message: string) => new LoginError(number, message, settings.get('named_refusals'));
  const tokens = openTokens(store, ABOUT.prefix, clock, {
    lives: { code: 600, access: 90_000, refresh: 90 * DAY_S },
    rotates: true,
    refuse(kind, flaw) {
      if (kind === 'access') return flaw === 'unknown' ? badToken() : deadToken();
      if (kind === 'refresh') return refusal(-14_014, 'Invalid refresh token');
      return flaw === 'verifier'
        ? refusal(-14_008, 'Invalid code verifier')
        : refusal(-14_019, 'Invalid authorization code');
    },
  });

  const consent = makePersonConsent({
    twin: options,
    network: ABOUT.title,
    people,
    terms: {
      clientField: 'app_id',
      scopes: [],
      words: {
        client: '-14002: Invalid app id',
        redirect: '-14003: Invalid redirect uri',
        type: '-14003: Invalid response type',
        scopes: '-14003: Invalid parameter {scopes}',
      },
      check(query) {
        const callback = settings.get('callback_url');
        if (callback !== '' && query.get('redirect_uri') !== callback)
          throw new PageError(400, '-14003: Invalid redirect uri');
        if (!CHALLENGE.test(query.get('code_challenge') ?? ''))
          throw new PageError(400, '-14007: Invalid code challenge');
      },
    },
    note: 'Send and read messages, write articles, and see who follows.',
    allow({ query }, person) {
      const challenge = query.get('code_challenge') ?? '';
      store.write(() => docs.put('link', { id: person, at: clock.now() }));
      const code = tokens.code({ person, scopes: [], profiles: [] }, { redirect_uri: '', challenge });
      return { code, oa_id: person, code_challenge: challenge };
    },
    denied: { error: '-14010', error_description: 'User denied the permission' },
  });

  const exchange = makeExchange({
    tokens,
    auth: { by: 'header', header: 'secret_key', id: 'app_id' },
    app: { id: APP_ID, secret: appSecret },
    // Exchanging a code does not need the redirect URI.
    fields: { redirect: '' },
    words: {
      client: () => refusal(-14_004, 'Invalid secret key'),
      grant: () => refusal(-14_003, 'Invalid grant type'),
    },
  });

  return Object.freeze({
    tokens,
    consent,
    isLinked: (account: string): boolean => docs.get('link', account) !== undefined,
    /** Removes the app from an account: its tokens end, and the app gets no more events. */
    remove(account: string): void {
      store.write(() => {
        tokens.revoke(account);
        docs.remove('link', account);
      });
    },
    /** Handles the token endpoint, where `expires_in` is a string. */
    token(ctx: Context, params: Params): object {
      if (params.text('app_id') !== APP_ID) throw refusal(-14_002, 'Invalid app id');
      const verifier = params.text('code_verifier');
      if (params.text('grant_type') === 'authorization_code' && !VERIFIER.test(verifier ?? ''))
        throw refusal(-14_008, 'Invalid code verifier');
      const { access_token, refresh_token, expires_in } = exchange(ctx, params);
      const isPlain = settings.get('plain_numbers');
      return { access_token, refresh_token, expires_in: isPlain ? expires_in : String(expires_in) };
    },
  });
}
