/** What all API routes use: lookups, pages of lists and idempotency. */
import { DAY } from '#kernel/clock.ts';
import { askedIn, makeOnce } from '../kit/api/once.ts';
import { route, type Caller, type Route, type RouteCall } from '../kit/api/routes.ts';
import type { Doc } from '../kit/docs.ts';
import { priceOf, type StripeDocs } from './docs.ts';
import { invalid, missing, otherParameters } from './errors.ts';
import { fieldsOf, needed, textIn, type Fields } from './fields.ts';
import { newId, type World } from './invoices.ts';
import { API_VERSION } from './objects.ts';

const MOST = 100;

type Call = RouteCall<Caller> & Readonly<{ fields: Fields }>;
type Row = Route<Caller>;

export function page(call: Call, all: readonly object[]): object {
  const { fields, ctx } = call;
  const limit = Number(textIn(fields, 'limit') ?? 10);
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST) throw invalid('Invalid integer: limit', 'limit');
  const after = textIn(fields, 'starting_after');
  const ids = all.map((one) => (one as { id: string }).id);
  if (after !== undefined && !ids.includes(after)) throw missing('object', after, 'starting_after');
  const rest = after === undefined ? all : all.slice(ids.indexOf(after) + 1);
  const url = `/v1${ctx.path.slice(ctx.path.indexOf('/v1') + 3)}`;
  return { object: 'list', data: rest.slice(0, limit), has_more: rest.length > limit, url };
}

export function makeCalls({ docs, options: { store, clock } }: World) {
  const repeatable = makeOnce(docs, clock, otherParameters);
  function found<K extends keyof StripeDocs>(kind: K, id: string, param?: string): StripeDocs[K] {
    const doc = docs.get(kind, id);
    if (doc === undefined || (doc as Doc & { deleted_at?: number }).deleted_at !== undefined)
      throw missing(kind.replaceAll('_', ' '), id, param);
    return doc;
  }

  /** Runs a POST with an idempotency key once and repeats its response. A call with other parameters is refused. */
  function once(call: Call, run: () => unknown): unknown {
    const key = call.ctx.get('idempotency-key');
    if (key === '') return store.write(run);
    const { body, isRepeated } = store.write(() => repeatable(key, DAY, askedIn(call), run));
    if (isRepeated) call.ctx.set('Idempotent-Replayed', 'true');
    return body;
  }

  const row = (verb: string, path: string, run: (call: Call) => unknown): Row =>
    route<Caller>(verb, `v1/${path}`, {}, (given) => {
      given.ctx.set({ 'Stripe-Version': API_VERSION, 'Request-Id': newId('req') });
      const call = { ...given, fields: fieldsOf(given.params.values) };
      return verb === 'GET' ? run(call) : once(call, () => run(call));
    });

  return Object.freeze({ found, row, idOf: ({ path }: Call) => path['id'] ?? '' });
}

export type Calls = ReturnType<typeof makeCalls>;

const isWeb = (address: string) => URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);

export function webIn(fields: Fields, name: string): string {
  const address = needed(fields, name);
  if (!isWeb(address)) throw invalid('Not a valid URL', name, 'url_invalid');
  return address;
}

export function knownPrice(id: string, param: string): string {
  if (priceOf(id) === undefined) throw missing('price', id, param);
  return id;
}
