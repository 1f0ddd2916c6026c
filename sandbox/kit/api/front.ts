/** The front of an API that calls come to with a token: its gate and its words, out of how it calls each refusal. */
import type { Context } from 'koa';
import { bearerOf } from '../oauth/secrets.ts';
import type { TwinOptions } from '../options.ts';
import type { TwinError } from './errors.ts';
import { makeGate } from './gate.ts';
import type { Orders } from './orders.ts';
import { plainWords } from './params.ts';
import type { Rates, RateState } from './rates.ts';
import type { Caller, RouteWords } from './routes.ts';

/** An error that a test has ordered, in the words of the API that is called. */
export type OrderedError = Readonly<{ status: number; code: string; message: string }>;

type FrontTerms<C extends Caller, E> = Readonly<{
  world: Readonly<{ options: TwinOptions; orders: Orders<E>; rates: Rates }>;
  network: string;
  tokens: Readonly<{ grantOf(token: string): C; personOf(token: string): string | undefined }>;
  /** The token that a call carries; nothing where it has none. Absent: it is the bearer's. */
  given?(ctx: Context, path: Readonly<Record<string, string>>): string | undefined;
  words: Readonly<{
    invalid(message: string): TwinError;
    noSuchPath(): TwinError;
    badToken(): TwinError;
    noScope(): TwinError;
    tooMany(state?: RateState): TwinError;
    trouble(): TwinError;
    ordered(error: E): TwinError;
    /** Absent: as a token that counts no more. */
    expired?(): TwinError;
    /** Refuses parameters nobody knows; absent: they are ignored. */
    unknown?(names: readonly string[]): TwinError;
    rateHeaders?(state: RateState): Readonly<Record<string, string>>;
  }>;
  /** Whose call it is that says so by what stands in its path alone. */
  about?(path: Readonly<Record<string, string>>): string | undefined;
}>;

/** What a token endpoint is given that says whose call it is. */
const TOKENS = ['refresh_token', 'code', 'auth_code', 'token', 'access_token'];

const bearer = (ctx: Context): string | undefined => bearerOf(ctx.get('authorization'));

/** Makes the gate, the words and the rates that routes are made with. */
export function makeFront<C extends Caller, E = OrderedError>(terms: FrontTerms<C, E>) {
  const { world, network, tokens, given = bearer, words, about } = terms;
  const { options, orders, rates } = world;
  const { invalid, noSuchPath, badToken, noScope, tooMany, trouble, ordered, unknown, rateHeaders } = words;
  const { expired = badToken } = words;
  const gate = makeGate<E>({
    ...options,
    network,
    orders,
    words: { throttled: () => tooMany(), expired, trouble, ordered },
  });
  const routeWords: RouteWords<C> = {
    ...plainWords(invalid),
    noSuchPath,
    caller(ctx, _params, path) {
      const token = given(ctx, path) ?? '';
      if (token === '') throw badToken();
      return tokens.grantOf(token);
    },
    personOf(ctx, params, path) {
      const token = given(ctx, path) || TOKENS.map((name) => params?.text(name)).find(Boolean);
      return token ? tokens.personOf(token) : about?.(path);
    },
    missing: noScope,
    limited: tooMany,
    ...(rateHeaders !== undefined && { rateHeaders }),
    ...(unknown !== undefined && { unknown }),
  };
  return { gate, words: routeWords, rates: options.rateLimits ? rates : undefined };
}
