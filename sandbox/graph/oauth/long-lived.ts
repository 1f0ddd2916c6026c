/** Tokens of Instagram and Threads. A code gives a token for an hour, which can be exchanged for one of 60 days. */
import { HOUR, DAY } from '#kernel/clock.ts';
import { GraphError } from '../api/errors.ts';
import type { Call, GraphWorld, Methods } from '../world.ts';
import { bearer, redeemCode, requireApp, requireSecret } from './oauth.ts';
import { callerWith } from './personal.ts';
import { asSession, LONG_LIFE, type Session } from './tokens.ts';

export type LongLivedTerms = Readonly<{
  /** The prefix of grant types, such as `th` in `th_exchange_token`. */
  prefix: string;
  scope: string;
  /** Writes the response to a code, with ids as JSON numbers too large for a double. */
  viewOf?(token: string, person: string): string;
}>;

const bareId = (token: string, person: string) => `{"access_token":${JSON.stringify(token)},"user_id":${person}}`;

export function longLivedMethods(world: GraphWorld, { prefix, scope, viewOf = bareId }: LongLivedTerms): Methods {
  const { tokens, clock } = world;

  function typed({ params }: Call, wanted: string): void {
    const given = params.required('grant_type');
    if (given !== wanted) throw new GraphError(100, `Unsupported grant_type: ${given.slice(0, 80)}`);
  }
  const isLong = ({ claims }: Session) => claims.expires_at - claims.issued_at === LONG_LIFE;
  const renewed = ({ claims }: Session) => bearer(tokens.forPerson(claims.person, LONG_LIFE), LONG_LIFE);
  function exchanged(call: Call, kind: 'exchange' | 'refresh'): Session {
    typed(call, `${prefix}_${kind}_token`);
    return asSession(call.actor);
  }

  return Object.freeze({
    'POST oauth/access_token': {
      params: ['client_id', 'client_secret', 'redirect_uri', 'code', 'grant_type'],
      open: true,
      run(call: Call) {
        requireApp(world, call.params);
        typed(call, 'authorization_code');
        const person = redeemCode(world, call.params);
        return viewOf(tokens.forPerson(person, HOUR), person);
      },
    },
    'GET access_token': {
      params: ['grant_type', 'client_secret'],
      effect: true,
      run(call: Call) {
        const session = exchanged(call, 'exchange');
        requireSecret(world, call.params);
        if (isLong(session)) throw new GraphError(452, 'Session key invalid: a short-lived token is needed');
        return renewed(session);
      },
    },
    'GET refresh_access_token': {
      params: ['grant_type'],
      effect: true,
      run(call: Call) {
        const session = exchanged(call, 'refresh');
        if (!isLong(session)) throw new GraphError(452, 'Session key invalid: a long-lived token is needed');
        if (session.claims.issued_at + DAY > clock.now())
          throw new GraphError(100, '(#100) The access token must be at least 24 hours old to be refreshed');
        callerWith(call, scope);
        return renewed(session);
      },
    },
  });
}

/** The paths of these endpoints, in addition to those of every Graph API. */
export const LONG_LIVED_ROOTS = Object.freeze([
  'oauth/access_token',
  'access_token',
  'refresh_access_token',
  'debug_token',
]);
