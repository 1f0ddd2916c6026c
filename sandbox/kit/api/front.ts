/** The common front of APIs with tokens: its gate, and responses made from the network's errors. */
import type { Context } from 'koa';
import { bearerOf } from '../oauth/secrets.ts';
import type { TwinOptions } from '../options.ts';
import type { TwinError } from './errors.ts';
import { makeGate } from './gate.ts';
import type { Orders } from './orders.ts';
import { plainWords } from './params.ts';
import type { Rates, RateState } from './rates.ts';
import type { Caller, RouteWords } from './routes.ts';

export type OrderedError = Readonly<{ status: number; code: string; message: string }>;

type FrontTerms<C extends Caller, E> = Readonly<{
  world: Readonly<{ options: TwinOptions; orders: Orders<E>; rates: Rates }>;
  network: string;
  tokens: Readonly<{ grantOf(token: string): C; personOf(token: string): string | undefined }>;
  /** Returns the call's token; by default it reads the bearer token. */
  given?(ctx: Context, path: Readonly<Record<string, string>>): string | undefined;
  words: Readonly<{
    invalid(message: string): TwinError;
    noSuchPath(): TwinError;
    badToken(): TwinError;
    noScope(): TwinError;
    tooMany(state?: RateState): TwinError;
    trouble(): TwinError;
    ordered(error: E): TwinError;
    /** By default an expired token gets the error for an invalid one. */
    expired?(): TwinError;
    /** Makes the error for unknown parameters; without it they are ignored. */
    unknown?(names: readonly string[]): TwinError;
    rateHeaders?(state: RateState): Readonly<Record<string, string>>;
  }>;
  /** Finds the person a call concerns from its path, for calls without a token. */
  about?(path: Readonly<Record<string, string>>): string | undefined;
}>;

/** The fields by which calls to a token endpoint reveal the person. */
const TOKENS = ['refresh_token', 'code', 'auth_code', 'token', 'access_token'];

const bearer = (ctx: Context): string | undefined => bearerOf(ctx.get('authorization'));

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
