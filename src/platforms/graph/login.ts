import * as z from 'zod';
import { DAY } from '#kernel/clock.ts';
import type { AccountCall, Session, UnauthenticatedCall } from '../call.ts';
import type { Connected, OAuthClient, OAuthConnect } from '../connect.ts';
import type { PlatformError } from '../errors.ts';
import { refused, unlessRefused, wordOf } from '../shared/errors.ts';
import { type CodeFlow, codeFlow, wrongClient, wrongCode } from '../shared/oauth.ts';
import { type Answer, makeRest } from '../shared/rest.ts';
import { Changed, type makeGraph } from './api.ts';
import { isGraph } from './errors.ts';

type Flow = Pick<CodeFlow, 'slug' | 'title'>;
type ErrorOf = (answer: Answer) => PlatformError | undefined;

/** Errors of a token endpoint, where the general error code means wrong app credentials. */
export function exchangeErrors(flow: Flow, errorOf: ErrorOf): ErrorOf {
  return function exchangeError(answer) {
    const { error_message: why } = (answer.body ?? {}) as { error_message?: unknown };
    if (typeof why === 'string' && answer.status === 400) return saidError(flow, why);
    const error = errorOf(answer);
    const isSecret = /client secret/i.test(error?.upstream ?? '');
    if (isGraph(error, 101) || (isSecret && isGraph(error, 1))) return wrongClient(flow, error);
    return isGraph(error, 100) ? wrongCode(flow, error) : error;
  };
}

/** Instagram's code endpoint reports errors only as text. */
function saidError(flow: Flow, why: string): PlatformError {
  const refusal = refused('invalid_request', undefined, { status: 400, upstream: wordOf(why, 300) });
  return /client|platform app/i.test(why) ? wrongClient(flow, refusal) : wrongCode(flow, refusal);
}

const Token = z.object({ access_token: z.string().min(1).max(4096), expires_in: z.number().positive() });

/** A token valid for about 60 days, with the times of issue and expiry (milliseconds). */
export type LongToken = Readonly<{ token: string; issued_at: number; expiresAt: number }>;

/** Tokens younger than this cannot be renewed. */
const YOUNG_MS = DAY;

/** Long-lived tokens of Instagram and Threads, renewed without the person; `prefix` begins their grant types. */
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
    /** Exchanges the short-lived token of a login. */
    exchange(call: UnauthenticatedCall, brief: string, { clientSecret: client_secret }: OAuthClient) {
      const query = { grant_type: `${flow.prefix}_exchange_token`, client_secret, access_token: brief };
      return issued(call, exchanges, '/access_token', query);
    },

    /** Renews a token; a token less than a day old cannot be renewed, so its refusal is final. */
    async renew(call: UnauthenticatedCall, { token, issued_at }: Pick<LongToken, 'token' | 'issued_at'>) {
      if (call.now() - issued_at < YOUNG_MS) throw refused('auth');
      const query = { grant_type: `${flow.prefix}_refresh_token`, access_token: token };
      return issued(call, renewals, '/refresh_access_token', query);
    },
  });
}

type LongFlow<Me extends z.ZodType, Stored extends Issued> = Pick<
  CodeFlow,
  'slug' | 'title' | 'token' | 'scopes' | 'tokensIn'
> &
  Pick<ReturnType<typeof makeGraph>, 'request'> &
  Readonly<{
    prefix: 'ig' | 'th';
    errorOf: ErrorOf;
    /** The requested fields of the person; the id from token endpoints is unusable because it loses digits. */
    me: Readonly<{ fields: string; item: Me }>;
    granted?(call: AccountCall): Promise<readonly string[]>;
    /** Builds the account of a login; `more` are the other fields of the code exchange. */
    account(
      call: UnauthenticatedCall,
      login: Readonly<{ me: z.output<Me>; issued: Issued; more: Readonly<Record<string, unknown>> }>,
    ): Promise<Connected>;
    sessionOf(session: Session): Stored;
  }>;
type Issued = Pick<LongToken, 'token' | 'issued_at'>;

/** Connects by the consent page of Instagram or Threads: one account per login, with a renewable token. */
export function longConnect<Me extends z.ZodType, Stored extends Issued>(flow: LongFlow<Me, Stored>): OAuthConnect {
  const { errorOf, request, me, sessionOf } = flow;
  const tokens = longTokens(flow, errorOf);
  return Object.freeze<OAuthConnect>({
    ...codeFlow({
      ...flow,
      authorize: { host: 'web', path: '/oauth/authorize' },
      separator: ',',
      errorOf: exchangeErrors(flow, errorOf),
      async profiles(call, { access, more }, { client }) {
        const { expiresAt, ...issued } = await tokens.exchange(call, access, client);
        const query = { fields: me.fields };
        const found = await request(call, { method: 'GET', path: '/me', query, token: issued.token }, me.item);
        return [{ ...(await flow.account(call, { me: found, issued, more })), expiresAt }];
      },
      async revoke(call) {
        const { token } = sessionOf(call.session);
        // Revoking is undocumented here, so Facebook's request is used. A rejected token counts as revoked.
        await unlessRefused(request(call, { method: 'DELETE', path: '/me/permissions', token }, Changed), 'auth');
      },
    }),
    async refresh(call) {
      const session = sessionOf(call.session);
      const { expiresAt, ...fresh } = await tokens.renew(call, session);
      return { session: { ...session, ...fresh }, expiresAt };
    },
  });
}
