/** Rest.li 2.0: typed values in URLs, resource methods, lists and batches. */
import type { Context } from 'koa';
import { tableOf } from '#kernel/text/table.ts';
import type { TwinError } from './errors.ts';
import { answer, route, type Caller, type Rate, type Route, type RouteCall } from './routes.ts';

type RestValue = string | readonly RestValue[] | Readonly<{ [name: string]: RestValue }>;

/** Reads values by name; throws if one is missing or has the wrong type. */
export type RestValues = Readonly<{
  text(name: string): string;
  maybe(name: string): string | undefined;
  list(name: string): readonly string[];
  has(name: string): boolean;
  /** A nested record; empty if it is missing. */
  within(name: string): RestValues;
}>;

/** A call with the keys of its URL: text keys, and the last key if it is a record. */
export type RestCall<C extends Caller> = RouteCall<C> &
  Readonly<{ keys: readonly string[]; key: RestValues; query: RestValues }>;

export type RestMethods<C extends Caller> = Readonly<Record<string, (call: RestCall<C>) => unknown>>;

type Refuse = (message: string) => TwinError;

/** Parses Rest.li's URL syntax: `List(a,b)`, `(name:value)` or percent-encoded text. */
function readValue(raw: string, refuse: Refuse): RestValue {
  let at = 0;
  const wrong = () => refuse(`Syntax exception in path or query variables: ${raw.slice(0, 200)}`);
  const take = (mark: string): boolean => {
    const isHere = raw.startsWith(mark, at);
    if (isHere) at += mark.length;
    return isHere;
  };
  function word(): string {
    const [text] = /^[^,()':]*/.exec(raw.slice(at))!;
    at += text.length;
    try {
      return decodeURIComponent(text);
    } catch {
      throw wrong();
    }
  }
  function until<T>(one: () => T): readonly T[] {
    const found: T[] = [];
    while (!take(')')) {
      if (found.length > 0 && !take(',')) throw wrong();
      found.push(one());
    }
    return found;
  }
  function member(): readonly [string, RestValue] {
    const name = word();
    if (name === '' || !take(':')) throw wrong();
    return [name, value()];
  }
  function value(): RestValue {
    if (take('List(')) return until(value);
    if (take('(')) return Object.fromEntries(until(member));
    return take("''") ? '' : word();
  }
  const read = value();
  if (at !== raw.length) throw wrong();
  return read;
}

function valuesOf(values: Readonly<Record<string, RestValue>>, refuse: Refuse): RestValues {
  const get = (name: string) => (Object.hasOwn(values, name) ? values[name] : undefined);
  function maybe(name: string): string | undefined {
    const value = get(name);
    if (value !== undefined && typeof value !== 'string') throw refuse(`Parameter ${name} must be a text`);
    return value;
  }
  function text(name: string): string {
    const value = maybe(name) ?? '';
    if (value === '') throw refuse(`Parameter ${name} is required`);
    return value;
  }
  return Object.freeze({
    text,
    maybe,
    has: (name: string) => get(name) !== undefined,
    list(name: string) {
      const value = get(name);
      const items = Array.isArray(value) ? (value as readonly RestValue[]) : [undefined];
      return items.map((item) => {
        if (typeof item !== 'string') throw refuse(`Parameter ${name} must be a List`);
        return item;
      });
    },
    within(name: string) {
      const value = get(name) ?? {};
      if (typeof value === 'string' || Array.isArray(value)) throw refuse(`Parameter ${name} must be a record`);
      return valuesOf(value as Readonly<Record<string, RestValue>>, refuse);
    },
  });
}

const VERBS: ReadonlyMap<string, string> = tableOf({
  GET: 'GET',
  BATCH_GET: 'GET',
  FINDER: 'GET',
  CREATE: 'POST',
  ACTION: 'POST',
  PARTIAL_UPDATE: 'POST',
  UPDATE: 'PUT',
  DELETE: 'DELETE',
});
const verbOf = (method: string) => VERBS.get(method.split(' ')[0]!)!;

/** These methods run in a transaction. Actions do not, because they may be asynchronous. */
const isWrite = (method: string) => ['CREATE', 'PARTIAL_UPDATE', 'DELETE'].includes(method);

export type RestTerms = Readonly<{
  refuse: Refuse;
  before(ctx: Context): void;
  rates: readonly Rate[];
  write<T>(change: () => T): T;
}>;

/** Routes for a simulator's resources. A method without a result responds with 204, an action with 200. */
export function makeRestli<C extends Caller>({ refuse, before, rates, write }: RestTerms) {
  function queryOf({ querystring }: Context): RestValues {
    const parts = querystring.split('&').map((part) => /^([^=]*)=?(.*)$/.exec(part)!);
    const known = parts.filter(([, name]) => name !== '' && name !== 'fields');
    return valuesOf(Object.fromEntries(known.map(([, name, raw]) => [name, readValue(raw!, refuse)])), refuse);
  }
  /** Returns a call's Rest.li method. Only a partial update needs the header `X-RestLi-Method`. */
  function methodOf(ctx: Context, query: RestValues, isEntity: boolean): string {
    const finder = ctx.get('x-restli-method').toUpperCase();
    const kinds: ReadonlyMap<string, () => string> = tableOf({
      GET() {
        if (query.has('q')) return `FINDER ${query.text('q')}`;
        return query.has('ids') ? 'BATCH_GET' : 'GET';
      },
      POST() {
        if (query.has('action')) return `ACTION ${query.text('action')}`;
        return isEntity ? 'PARTIAL_UPDATE' : 'CREATE';
      },
      PUT: () => 'UPDATE',
      DELETE: () => 'DELETE',
    });
    const found = kinds.get(ctx.method)!();
    const [kind] = found.split(' ');
    if (finder === '' ? kind === 'PARTIAL_UPDATE' : finder !== kind)
      throw refuse(`X-RestLi-Method ${finder || 'is missing'}: ${kind} was expected`);
    return found;
  }

  return Object.freeze({
    /** The routes of one path, by methods such as `GET`, `FINDER author` or `ACTION begin`. */
    resource(path: string, methods: RestMethods<C>): readonly Route<C>[] {
      const parts = path.split('/').filter(Boolean);
      return [...new Set(Object.keys(methods).map(verbOf))].map((verb) =>
        route<C>(verb, path, { rates }, async (call) => {
          const { ctx } = call;
          before(ctx);
          const given = ctx.path.split('/').filter(Boolean).slice(-parts.length);
          const keys = given.flatMap((raw, at) => (parts[at]!.startsWith('{') ? [readValue(raw, refuse)] : []));
          const query = queryOf(ctx);
          const method = methodOf(ctx, query, parts.at(-1)!.startsWith('{'));
          const run = Object.hasOwn(methods, method) ? methods[method] : undefined;
          if (run === undefined) throw refuse(`${path} has no method ${method.slice(0, 80)}`);
          const texts = keys.map((key) => (typeof key === 'string' ? key : ''));
          const last = keys.at(-1);
          const key = valuesOf({ key: typeof last === 'object' ? last : {} }, refuse).within('key');
          const own = { ...call, keys: texts, key, query };
          const made = isWrite(method) ? write(() => run(own)) : await run(own);
          return made ?? answer('', method.startsWith('ACTION') ? 200 : 204);
        }),
      );
    },
    list({ ctx, query }: RestCall<C>, all: readonly unknown[], most = 100): object {
      const [start, count] = [Number(query.maybe('start') ?? 0), Number(query.maybe('count') ?? 10)];
      const isRead = Number.isInteger(start) && start >= 0 && Number.isInteger(count) && count >= 0 && count <= most;
      if (!isRead) throw refuse(`start and count must be numbers, count at most ${most}`);
      const end = start + count;
      const named = ctx.querystring.split('&').filter((part) => !/^(?:start|count)=/.test(part));
      const href = `${ctx.path}?${[...named, `start=${end}`, `count=${count}`].join('&')}`;
      const links = count > 0 && end < all.length ? [{ rel: 'next', type: 'application/json', href }] : [];
      return { paging: { start, count, total: all.length, links }, elements: all.slice(start, end) };
    },
    batch({ query }: RestCall<C>, find: (id: string) => unknown): object {
      const found = query.list('ids').map((id) => [id, find(id)] as const);
      const isGone = ([, one]: (typeof found)[number]) => one === undefined;
      return {
        results: Object.fromEntries(found.filter((one) => !isGone(one))),
        statuses: Object.fromEntries(found.map((one) => [one[0], isGone(one) ? 404 : 200])),
        errors: Object.fromEntries(found.filter(isGone).map(([id]) => [id, { status: 404, message: 'Not found' }])),
      };
    },
  });
}
