import * as z from 'zod';
import type { UnauthenticatedCall } from '../call.ts';
import type { OAuthClient } from '../connect.ts';
import type { PlatformError } from '../errors.ts';
import { refused } from '../shared/errors.ts';
import { type CodeFlow, wrongClient, wrongCode } from '../shared/oauth.ts';
import { type Answer, makeRest } from '../shared/rest.ts';
import { isGraph } from './errors.ts';

type Flow = Pick<CodeFlow, 'slug' | 'title'>;
type ErrorOf = (answer: Answer) => PlatformError | undefined;

/** The error of a token endpoint: only there the code of "something failed" means wrong app credentials, as it says. */
export function exchangeErrors(flow: Flow, errorOf: ErrorOf): ErrorOf {
  return function exchangeError(answer) {
    const error = errorOf(answer);
    const isSecret = /client secret/i.test(error?.upstream ?? '');
    if (isGraph(error, 101) || (isSecret && isGraph(error, 1))) return wrongClient(flow, error);
    return isGraph(error, 100) ? wrongCode(flow, error) : error;
  };
}

const Token = z.object({ access_token: z.string().min(1).max(4096), expires_in: z.number().positive() });

/** A token that lives about 60 days, when it was issued, and when it ends (milliseconds). */
export type LongToken = Readonly<{ token: string; issued_at: number; expiresAt: number }>;

/** Before this age a token cannot be renewed. */
const YOUNG_MS = 24 * 3_600_000;

/** The long-lived tokens of Instagram and Threads, which are renewed without the person; `prefix` is that of their grants. */
export function longTokens(flow: Flow & Readonly<{ prefix: 'ig' | 'th' }>, errorOf: ErrorOf) {
  const base = ({ hosts }: UnauthenticatedCall) => hosts['graph']!;
  const exchanges = makeRest<UnauthenticatedCall>({ base, errorOf: exchangeErrors(flow, errorOf) });
  const renewals = makeRest<UnauthenticatedCall>({ base, errorOf });

  async function issued(
    call: UnauthenticatedCall,
    { get }: typeof renewals,
    path: string,
    query: Readonly<Record<string, string>>,
  ): Promise<LongToken> {
    const { access_token: token, expires_in: seconds } = await get(call, { path }, Token, { query });
    return { token, issued_at: call.now(), expiresAt: call.now() + seconds * 1000 };
  }

  return Object.freeze({
    /** A long-lived token for the brief one of a login. */
    exchange(call: UnauthenticatedCall, brief: string, { clientSecret: client_secret }: OAuthClient) {
      const query = { grant_type: `${flow.prefix}_exchange_token`, client_secret, access_token: brief };
      return issued(call, exchanges, '/access_token', query);
    },

    /** A token in place of one that is at least a day old; a younger one that was refused cannot be renewed. */
    async renew(call: UnauthenticatedCall, { token, issued_at }: Pick<LongToken, 'token' | 'issued_at'>) {
      if (call.now() - issued_at < YOUNG_MS) throw refused('auth');
      const query = { grant_type: `${flow.prefix}_refresh_token`, access_token: token };
      return issued(call, renewals, '/refresh_access_token', query);
    },
  });
}
