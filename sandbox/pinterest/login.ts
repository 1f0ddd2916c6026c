/** The consent page and the tokens; apps authenticate by Basic. */
import type { Context } from 'koa';
import type { Params } from '../kit/api/params.ts';
import { seconds } from '../kit/ids.ts';
import { openCodeLogin } from '../kit/oauth/login.ts';
import { ABOUT } from './about.ts';
import { WORDS } from './errors.ts';
import type { World } from './world.ts';

const DAY_S = 86_400;
const SCOPES = `boards:read boards:read_secret boards:write boards:write_secret pins:read pins:read_secret pins:write
  pins:write_secret user_accounts:read user_accounts:write`.split(/\s+/);

export type Login = ReturnType<typeof makeLogin>;

export function makeLogin({ options, people }: World) {
  const { tokens, consent, exchange } = openCodeLogin({
    twin: options,
    prefix: ABOUT.prefix,
    network: ABOUT.title,
    people,
    terms: {
      scopes: SCOPES,
      separator: /,/,
      words: {
        client: 'The client_id is not valid.',
        redirect: 'The redirect_uri is not one of those that are registered.',
        type: 'The response_type is not supported',
        scopes: 'The scope is not valid: {scopes}',
      },
    },
    rules: {
      lives: { code: 600, access: 30 * DAY_S, refresh: 60 * DAY_S },
      rotates: true,
      starts: { access: 'pina_', refresh: 'pinr_' },
      refuse: (kind) => (kind === 'code' ? WORDS.invalid('The authorization code is invalid.') : WORDS.badToken()),
    },
    auth: { by: 'basic' },
    words: { client: WORDS.badToken, grant: (type) => WORDS.invalid(`There is no grant type ${type}`) },
  });

  return Object.freeze({
    tokens,
    consent,
    token(ctx: Context, params: Params): object {
      if (!ctx.is('urlencoded')) throw WORDS.invalid('The body must be a form.');
      const { grant, refresh_expires_in: left = 0, ...pair } = exchange(ctx, params);
      const end = { refresh_token_expires_in: left, refresh_token_expires_at: seconds(options.clock.now()) + left };
      const kind = { response_type: params.text('grant_type'), token_type: 'bearer', scope: grant.scopes.join(' ') };
      return { ...pair, ...end, ...kind };
    },
  });
}
