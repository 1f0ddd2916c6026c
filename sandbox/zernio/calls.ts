/** What every call goes through: key, access, rate limits and simulated failures. */
import { DAY } from '#kernel/clock.ts';
import { askedIn, makeOnce } from '../kit/api/once.ts';
import { answer, route, type Caller, type Route, type RouteCall } from '../kit/api/routes.ts';
import { bearerOf } from '../kit/oauth/secrets.ts';
import type { Group, Key, Profile } from './docs.ts';
import { forbidden, invalid, missing, otherRequest, rateHeaders, tooMany, unauthorized } from './errors.ts';
import type { Teams, World } from './world.ts';

const MINUTE = 60;
const RETRIED = 5 * 60_000;
/** Requests per minute, by the number of accounts a team has. */
const EARNED = Object.freeze([
  [2, 60],
  [2000, 600],
  [Infinity, 1200],
] as const);
const HUGE = 16 * 1024 * 1024;
const OBJECT_ID = /^[0-9a-f]{24}$/;

const MISBEHAVING = Object.freeze({
  no: undefined,
  unavailable: () =>
    answer({ error: 'Please retry the request.', type: 'api_error', code: 'temporarily_unavailable' }, 503, {
      'Retry-After': '5',
    }),
  error: () => answer({ error: 'Internal server error', type: 'api_error', code: 'internal_error' }, 500),
  page: () => answer('<!doctype html><h1>Down for maintenance</h1>', 200, { 'Content-Type': 'text/html' }),
  nonsense: () => answer({ accounts: 'many', profiles: [null, 7], posts: {} }),
  huge: () => answer({ accounts: [], profiles: [], padding: ' '.repeat(HUGE) }),
  'redirect inside': () => answer('', 302, { Location: 'http://169.254.169.254/latest/meta-data' }),
  'redirect here': () => answer('', 307, { Location: 'http://127.0.0.1:1/v1/accounts' }),
});
export const MISBEHAVIOURS = Object.keys(MISBEHAVING) as readonly (keyof typeof MISBEHAVING)[];

export type Call = RouteCall<Holder> & Readonly<{ key: Key; team: string }>;
export type Holder = Caller & Readonly<{ key: Key }>;

export function makeCalls({ docs, settings, rates, newId, options }: World, { accountsOf }: Teams) {
  const { clock, store, rateLimits } = options;
  const repeatable = makeOnce(docs, clock, otherRequest);

  const known = (authorization: string): Key | undefined =>
    docs.list('key', { parent: bearerOf(authorization) ?? '' }).at(0);
  function holderOf(authorization: string): Holder {
    const key = known(authorization);
    const isDead = key?.revoked_at !== undefined || (key?.expires_at ?? Infinity) <= clock.now();
    if (key === undefined || isDead) throw unauthorized();
    return { person: key.page_id, scopes: [], key };
  }

  function spend({ ctx, caller: { person } }: RouteCall<Holder>): void {
    if (!rateLimits) return;
    const count = accountsOf(person).length;
    const limit = settings.get('requests_per_minute') || EARNED.find(([most]) => count <= most)![1];
    const charge = { name: 'requests', key: person, limit, window_s: MINUTE, points: 1, sliding: true };
    const { exceeded, tightest } = rates.spend([charge]);
    ctx.set(rateHeaders(tightest!));
    if (exceeded) throw tooMany(tightest);
  }
  function permit(key: Key, verb: string, path: string, group: Group): void {
    if (key.disabled.some((one) => one === group)) {
      const error = `This API key has the '${group}' resource group disabled. ${verb} /api/${path} requires it. Create a key with '${group}' enabled in the dashboard API keys tab.`;
      throw forbidden(error, 'insufficient_permissions', { required_group: group });
    }
    if (key.permission === 'read' && verb !== 'GET')
      throw forbidden('This API key is read-only.', 'insufficient_permissions');
  }

  const mayUse = ({ profiles }: Key, profile: string): boolean => profiles?.includes(profile) ?? true;
  const isSeen = ({ key, team }: Call, one: Readonly<{ page_id: string }>, profile: string) =>
    one.page_id === team && mayUse(key, profile);

  return Object.freeze({
    holderOf,
    teamOf: (authorization: string) => known(authorization)?.page_id,
    /** Makes a route. Writes run in one transaction. */
    row(
      verb: string,
      path: string,
      group: Group,
      run: (call: Call) => unknown,
      params?: readonly string[],
    ): Route<Holder> {
      return route<Holder>(verb, `v1/${path}`, params === undefined ? {} : { params }, (given) => {
        given.ctx.set('X-Request-Id', given.ctx.get('x-request-id') || newId());
        const misbehaving = MISBEHAVING[settings.get('misbehaves') as keyof typeof MISBEHAVING];
        if (misbehaving !== undefined) return misbehaving();
        spend(given);
        const { key, person: team } = given.caller;
        permit(key, verb, `v1/${path}`, group);
        const call = { ...given, key, team };
        return verb === 'GET' ? run(call) : store.write(() => run(call));
      });
    },
    mayUse,
    /** Repeats the response to an idempotency key or, for a short time, to a request id. */
    once(call: Call, run: () => object): Readonly<{ body: object; isRepeated: boolean }> {
      const [key, request] = [call.ctx.get('idempotency-key'), call.ctx.get('x-request-id')];
      const id = `${call.team} ${call.ctx.path} ${key || request}`;
      if (key === '' && request === '') return { body: run(), isRepeated: false };
      const made = key === '' ? repeatable(id, RETRIED, '', run) : repeatable(id, DAY, askedIn(call), run);
      return made as { body: object; isRepeated: boolean };
    },
    /** Returns a profile that the key may use. */
    profileIn(call: Call, id: string): Profile {
      const found = docs.get('profile', id);
      if (found === undefined || !isSeen(call, found, id)) throw missing('Profile');
      return found;
    },
    /** The profile of a filter: an error if the key may not use it, undefined if there is no filter. */
    filterOf({ key, params }: Call): string | undefined {
      const id = params.text('profileId') || undefined;
      if (id !== undefined && !OBJECT_ID.test(id)) throw invalid('Invalid profileId', 'profileId');
      if (id !== undefined && !mayUse(key, id)) throw forbidden('API key does not have access to this profile');
      return id;
    },
    /** An integer parameter between two bounds. */
    wholeIn({ params }: Call, name: string, least: number, most: number): number | undefined {
      const value = params.whole(name);
      if (value !== undefined && (value < least || value > most))
        throw invalid(`${name} must be from ${least} to ${most}`, name);
      return value;
    },
  });
}
export type Calls = ReturnType<typeof makeCalls>;
