/** An HTTP API as a table of routes, with their parameters, scopes, rate limits and handlers. */
import type { Context } from 'koa';
import type { JournalEntry } from '../../journal.ts';
import { displayPath } from '../ids.ts';
import type { Check } from './checks.ts';
import type { Gate } from './gate.ts';
import { readParams, readQuery, type Params, type ParamWords } from './params.ts';
import type { Charge, Rates, RateState } from './rates.ts';
import type { TwinError } from './errors.ts';

export type Caller = Readonly<{ person: string; scopes: readonly string[] }>;

export type RouteCall<C extends Caller> = Readonly<{
  ctx: Context;
  path: Readonly<Record<string, string>>;
  params: Params;
  /** Undefined at runtime if the route needs no token. */
  caller: C;
  entry: JournalEntry;
}>;

/** A rate limit; unless `key` is given, it counts per caller. */
export type Rate = Omit<Charge, 'key' | 'points'> & Partial<Pick<Charge, 'key' | 'points'>>;

export type Route<C extends Caller> = Readonly<{
  verb: string;
  /** Parameters are in braces: `/2/tweets/{id}`, `/bot{token}/getMe`, `/locations/{id}:verify`. */
  path: string;
  /** Can be called without a token. */
  isOpen?: boolean;
  scopes?: readonly string[];
  /** The documented parameters. Others are noted in the journal or refused, as the network does. */
  params?: readonly string[];
  /** Checks all parameters together. */
  check?: Check;
  isStream?: boolean;
  rates?: readonly Rate[];
  /** Whether the call changes something; by default every call except a GET does. */
  effect?: boolean;
  /** Finds the person that a call without a token concerns. */
  about?(params: Params): string | undefined;
  run(call: RouteCall<C>): unknown;
}>;

const ANSWER = Symbol('answer');
type Answer = Readonly<{ [ANSWER]: unknown; status: number; headers: Readonly<Record<string, string>> }>;

/** A response that is not a JSON object, or that needs its own status or headers. */
export const answer = (body: unknown, status = 200, headers: Answer['headers'] = {}): Answer =>
  Object.freeze({ [ANSWER]: body, status, headers });

const isAnswer = (made: unknown): made is Answer => typeof made === 'object' && made !== null && ANSWER in made;

export const route = <C extends Caller>(
  verb: string,
  path: string,
  terms: Omit<Route<C>, 'verb' | 'path' | 'run'>,
  run: Route<C>['run'],
): Route<C> => Object.freeze({ verb, path, ...terms, run });

export type RouteWords<C extends Caller> = ParamWords &
  Readonly<{
    noSuchPath(ctx: Context): TwinError;
    /** Returns the caller with this token, or throws the network's error. */
    caller(ctx: Context, params: Params, path: RouteCall<C>['path']): C;
    /** Returns the person a token belongs to, even if it is no longer valid. */
    personOf(ctx: Context, params: Params | undefined, path: RouteCall<C>['path']): string | undefined;
    missing(scopes: readonly string[]): TwinError;
    invalid(message: string): TwinError;
    /** Makes the error for unknown parameters; without it they are only noted in the journal. */
    unknown?(names: readonly string[]): TwinError;
    limited(state: RateState): TwinError;
    /** Makes the rate-limit headers; without it there are none. */
    rateHeaders?(state: RateState): Readonly<Record<string, string>>;
    /** Writes JSON in a special way, such as ids as numbers. */
    json?(body: unknown): string;
  }>;

const LARGEST = 64 * 1024 * 1024;
/** The size limit for a body that is read before the token is checked. */
const MAX_UNAUTHENTICATED_BYTES = 16 * 1024;

/** Returns the parameters in the path if it matches, otherwise undefined. */
function fit(pattern: readonly string[], given: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== given.length) return undefined;
  const found: Record<string, string> = {};
  for (const [at, part] of pattern.entries()) {
    const [, before = '', name = '', after = ''] = /^([^{]*)\{(\w+)\}(.*)$/.exec(part) ?? [];
    const segment = given[at] ?? '';
    if (name === '' && part !== segment) return undefined;
    if (name === '') continue;
    const isFit =
      segment.length > before.length + after.length && segment.startsWith(before) && segment.endsWith(after);
    if (!isFit) return undefined;
    found[name] = segment.slice(before.length, segment.length - after.length);
  }
  return found;
}

function send(ctx: Context, made: unknown, json: (body: unknown) => string = JSON.stringify): void {
  const { [ANSWER]: body, status, headers } = isAnswer(made) ? made : answer(made ?? {});
  ctx.status = status;
  ctx.set(headers);
  if (typeof body === 'string' || body instanceof Uint8Array) {
    ctx.body = body;
    return;
  }
  ctx.type = 'application/json';
  ctx.body = json(body);
}

/** The name of a route in the journal, in faults and in ordered responses. */
export const nameOf = ({ verb, path }: Pick<Route<never>, 'verb' | 'path'>): string => `${verb} ${path}`;

export function makeRoutes<C extends Caller>(
  options: Readonly<{
    gate: Gate;
    routes: readonly Route<C>[];
    words: RouteWords<C>;
    rates: Rates | undefined;
    due?(): void;
  }>,
): (ctx: Context, rest: readonly string[], area: string) => Promise<void> {
  const { gate, words, rates, due } = options;
  const table = options.routes.map((one) => ({ one, parts: one.path.split('/').filter(Boolean) }));

  function find(ctx: Context, rest: readonly string[]) {
    for (const { one, parts } of table) {
      const path = one.verb === ctx.method ? fit(parts, rest) : undefined;
      if (path !== undefined) return { one, path };
    }
    throw words.noSuchPath(ctx);
  }

  function spend(ctx: Context, { rates: terms = [] }: Route<C>, person: string | undefined): void {
    const charges = terms.map((rate) => ({ key: person ?? ctx.ip, points: 1, ...rate }));
    const verdict = charges.length === 0 ? undefined : rates?.spend(charges);
    if (verdict?.tightest === undefined) return;
    ctx.set(words.rateHeaders?.(verdict.tightest) ?? {});
    if (verdict.exceeded) throw words.limited(verdict.tightest);
  }

  function check({ params: known, check: shape, path }: Route<C>, params: Params, entry: JournalEntry): void {
    const strange = known === undefined ? [] : params.names.filter((name) => !known.includes(name));
    if (strange.length > 0) {
      entry.violation = `unknown parameters of ${path}: ${strange.join(', ').slice(0, 200)}`;
      const refused = words.unknown?.(strange);
      if (refused !== undefined) throw refused;
    }
    const wrong = shape?.(params.values, '$');
    if (wrong !== undefined) throw words.invalid(wrong);
  }

  return (ctx, rest, area) =>
    gate(ctx, { verb: area, method: `${ctx.method} ${displayPath(`/${rest.join('/')}`)}` }, async (passage) => {
      const { entry } = passage;
      const { one, path } = find(ctx, rest);
      entry.method = nameOf(one);
      entry.note = Object.entries(path)
        .flatMap(([name, value]) => (name === 'token' ? [] : [value]))
        .join(' ');
      entry.person = words.personOf(ctx, undefined, path);
      const isKnown = entry.person !== undefined;
      const cap = isKnown ? LARGEST : MAX_UNAUTHENTICATED_BYTES;
      const params = one.isStream === true ? readQuery(ctx, words) : await readParams(ctx, cap, words);
      entry.person ??= words.personOf(ctx, params, path) ?? one.about?.(params);
      const identify = () => (one.isOpen === true ? undefined : words.caller(ctx, params, path));
      const missing = (caller: C | undefined) => one.scopes?.filter((scope) => !caller?.scopes.includes(scope)) ?? [];
      if (missing(identify()).length > 0) throw words.missing(one.scopes ?? []);
      check(one, params, entry);
      await passage.before(one.isOpen !== true);
      // The token may have been revoked while the call waited.
      const caller = identify();
      spend(ctx, one, caller?.person);
      due?.();
      const made = await one.run({ ctx, path, params, caller: caller as C, entry });
      await passage.after(one.effect ?? ctx.method !== 'GET');
      send(ctx, made, words.json);
    });
}
