/** Google's hosts as areas of a simulator, with one gate, a quota per service and each service's error format. */
import type { Context } from 'koa';
import type { JournalEntry } from '../journal.ts';
import { maybe, type Act } from '../kit/acts.ts';
import { makeGate } from '../kit/api/gate.ts';
import { openOrders, orderAct, type Orders } from '../kit/api/orders.ts';
import type { Params, Wrong } from '../kit/api/params.ts';
import { openRates } from '../kit/api/rates.ts';
import { makeRoutes, nameOf, type RouteWords } from '../kit/api/routes.ts';
import { bearerOf } from '../kit/oauth/secrets.ts';
import type { TwinOptions } from '../kit/options.ts';
import { PROJECT, type GoogleCall, type GoogleCaller, type GoogleRoute } from './calls.ts';
import { GoogleError, makeRefusals, OAuthError, type ErrorForm } from './errors.ts';
import type { GoogleLogin } from './login.ts';

type Refusals = ReturnType<typeof makeRefusals>;
type Ordered = Readonly<{ status: number; name?: string | undefined; reason?: string | undefined; message: string }>;

/** The parameters that every Google API has. */
const SYSTEM = Object.freeze(['alt', 'fields', 'prettyPrint', 'key', 'quotaUser', 'access_token', '$.xgafv']);
const MINUTE_S = 60;

type ApiOptions = Readonly<{
  twin: TwinOptions;
  slug: string;
  prefix: string;
  form: ErrorForm;
  login: GoogleLogin;
  /** The project's requests per minute to a service; 0 means that it has no access. */
  perMinute(service: string): number;
  /** Charges a call for other quotas; throws before the call itself is checked. */
  charge?(service: string, route: GoogleRoute, call: GoogleCall): void;
  due?(): void;
}>;

const WRONG: Readonly<Partial<Record<Wrong, string>>> = Object.freeze({ missing: 'Missing required parameter' });

/** The OAuth hosts have another error format. */
const oauthWords = (login: GoogleLogin, api: RouteWords<GoogleCaller>): RouteWords<GoogleCaller> => {
  const invalid = (message: string) => new OAuthError(400, 'invalid_request', message);
  return {
    ...api,
    invalid,
    wrong: (name, what) => invalid(`${WRONG[what] ?? `${what} parameter`}: ${name}`),
    tooLong: () => invalid('The request is too long.'),
    broken: () => invalid('The body cannot be read.'),
    noSuchPath: () => new OAuthError(404, 'not_found', 'Not Found'),
    personOf: (_ctx, params) =>
      ['code', 'refresh_token', 'token', 'access_token'].map((name) => login.about(params?.text(name))).find(Boolean),
  };
};

function makeGates({ twin, slug, perMinute }: ApiOptions, orders: Orders<Ordered>, refusals: Refusals) {
  const known = { ...twin, network: slug, orders };
  const api = makeGate<Ordered>({
    ...known,
    words: {
      throttled: (_ctx: Context, { verb }: JournalEntry) => refusals.exhausted(verb, { limit: perMinute(verb) }),
      expired: refusals.unauthenticated,
      trouble: refusals.trouble,
      ordered: ({ status, name, reason, message }) =>
        new GoogleError(status, name, message, reason === undefined ? {} : { errors: [{ reason }] }),
    },
  });
  const oauth = makeGate<Ordered>({
    ...known,
    words: {
      throttled: () => new OAuthError(429, 'rate_limit_exceeded', 'Rate Limit Exceeded'),
      expired: () => new OAuthError(400, 'invalid_grant', 'Token has been expired or revoked.'),
      trouble: () => new OAuthError(500, 'internal_failure', 'Internal error'),
      ordered: ({ status, reason = 'internal_failure', message }) => new OAuthError(status, reason, message),
    },
  });
  return { api, oauth };
}

function makeWords({ login }: ApiOptions, refusals: Refusals) {
  const bearer = (ctx: Context, params: Params | undefined) =>
    bearerOf(ctx.get('authorization')) ?? params?.text('access_token');
  function callerOf(ctx: Context, params: Params): GoogleCaller {
    const token = bearer(ctx, params);
    if (token === undefined || login.tokens.holder(token) === undefined) throw refusals.unauthenticated();
    try {
      return login.tokens.grantOf(token);
    } catch {
      // A refresh token cannot be used as an access token.
      throw refusals.unauthenticated();
    }
  }
  return (service: string): RouteWords<GoogleCaller> => ({
    invalid: refusals.invalid,
    wrong: (name, what) =>
      what === 'missing' ? refusals.missing(name) : refusals.invalid(`Invalid value at '${name}': ${what}`),
    tooLong: () => refusals.invalid('Request payload size exceeds the limit.'),
    broken: () => refusals.invalid('Invalid JSON payload received.'),
    noSuchPath: refusals.noSuchPath,
    caller: callerOf,
    personOf: (ctx, params) => login.about(bearer(ctx, params)),
    missing: () => refusals.missingScope(service),
    unknown: (names) =>
      refusals.invalid(`Invalid JSON payload received. Unknown name "${names[0]?.slice(0, 80)}": Cannot find field.`),
    limited: (state) => refusals.exhausted(service, state),
  });
}

export function makeGoogleApi(options: ApiOptions) {
  const { twin, prefix, form, login, perMinute, charge, due = () => {} } = options;
  const orders = openOrders<Ordered>(twin.store, prefix);
  const rates = openRates(twin.clock);
  const refusals = makeRefusals(form, PROJECT);
  const gates = makeGates(options, orders, refusals);
  const wordsOf = makeWords(options, refusals);
  /** Counts a request of the project, whatever its result will be. */
  function spend(service: string): void {
    const limit = perMinute(service);
    const term = { name: service, key: PROJECT, limit, window_s: MINUTE_S, points: 1 };
    if (limit === 0 || (twin.rateLimits && rates.spend([term]).exceeded)) throw refusals.exhausted(service, { limit });
  }
  const counted = (service: string, one: GoogleRoute): GoogleRoute => ({
    ...one,
    ...(one.params !== undefined && { params: [...one.params, ...SYSTEM] }),
    run(call) {
      spend(service);
      charge?.(service, one, call);
      return one.run(call);
    },
  });

  const methods = new Set<string>();
  function note(routes: readonly GoogleRoute[]): void {
    for (const one of routes) methods.add(nameOf(one));
  }
  function api(service: string, routes: readonly GoogleRoute[]) {
    note(routes);
    const words = wordsOf(service);
    return makeRoutes({
      gate: gates.api,
      routes: routes.map((one) => counted(service, one)),
      words,
      rates: undefined,
      due,
    });
  }
  function oauth(routes: readonly GoogleRoute[], words = oauthWords(login, wordsOf('oauth2'))) {
    note(routes);
    return makeRoutes({ gate: gates.oauth, routes, words, rates: undefined });
  }

  const order: Act = orderAct<Ordered>(
    orders,
    { name: maybe('Status, such as UNAVAILABLE'), reason: maybe('Reason'), message: maybe('Message') },
    ({ name, reason, message = 'An error that was ordered.' }, status) => ({ status, name, reason, message }),
  );

  return Object.freeze({
    refusals,
    api,
    oauth2: oauth(login.oauth2),
    openid: oauth(login.openid, { ...oauthWords(login, wordsOf('openid')), personOf: wordsOf('openid').personOf }),
    www: oauth(login.www, { ...oauthWords(login, wordsOf('openid')), personOf: wordsOf('openid').personOf }),
    /** All methods for which a fault can be set. Complete after all hosts were made. */
    methods: (): readonly string[] => [...methods],
    orderAct: order,
    reset() {
      orders.reset();
      rates.reset();
    },
  });
}
