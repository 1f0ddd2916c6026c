import type { Context } from 'koa';
import type { TwinError } from '../api/errors.ts';
import type { Params } from '../api/params.ts';
import { isOurClient, type ClientAuth } from './secrets.ts';
import type { openTokens, TokenPair } from './tokens.ts';

export type ExchangeTerms = Readonly<{
  tokens: ReturnType<typeof openTokens>;
  auth: ClientAuth;
  app: Readonly<{ id: string; secret: string }>;
  /** Names of fields that differ from the OAuth 2.0 standard. */
  fields?: Partial<Readonly<Record<'grant' | 'code' | 'redirect' | 'verifier' | 'refresh', string>>>;
  only?: 'authorization_code' | 'refresh_token';
  words: Readonly<{ client(): TwinError; grant(type: string): TwinError }>;
}>;

/** Reads a token request of the sandbox's app and returns tokens, which each network formats itself. */
export function makeExchange({ tokens, auth, app, fields = {}, only, words }: ExchangeTerms) {
  const { grant = 'grant_type', code = 'code', redirect = 'redirect_uri' } = fields;
  const { verifier = 'code_verifier', refresh = 'refresh_token' } = fields;
  return function exchange(ctx: Context, params: Params): TokenPair {
    if (!isOurClient(ctx, params, auth, app)) throw words.client();
    const type = only ?? params.required(grant);
    if (type === 'refresh_token') return tokens.refresh(params.required(refresh));
    if (type !== 'authorization_code') throw words.grant(type);
    const given = params.text(verifier);
    return tokens.redeem(params.required(code), {
      redirect_uri: params.text(redirect) ?? '',
      ...(given !== undefined && { verifier: given }),
    });
  };
}
