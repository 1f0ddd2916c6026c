import { z } from 'zod';
import { pageFrom, showFields, type FieldTable } from '../../kit/api/listed.ts';
import { perMinute } from '../../kit/api/rates.ts';
import { route, type Caller, type Route, type RouteCall } from '../../kit/api/routes.ts';
import { makeReader } from '../../kit/api/shapes.ts';
import { requestId, WORDS } from '../errors.ts';
import type { Parts } from '../parts.ts';

export type Call = RouteCall<Caller>;
export const words = WORDS.business;
export const ROOT = '/open_api/v1.3';

export const wrap = (data: unknown = {}) => ({ code: 0, message: 'OK', request_id: requestId(), data });

export const read = makeReader(({ place, words: what }) => words.invalid(`${place}: ${what}`));
export const some = z.string().min(1);

/** Makes calls. Their paths end with a slash, bodies are JSON, and the account must be the caller's. */
export const makeCalls =
  ({ world: { settings }, names }: Pick<Parts, 'world' | 'names'>) =>
  (verb: string, path: string, scope: string, run: (call: Call) => unknown): Route<Caller> => {
    const rate = path.endsWith('/publish/')
      ? perMinute(path, () => settings.get('inits_per_minute'), { sliding: true })
      : perMinute(path, () => settings.get('business_per_minute'), { key: 'app', sliding: true });
    return route<Caller>(verb, `${ROOT}${path}`, { scopes: [scope], rates: [rate] }, async (call) => {
      const { ctx, params, caller } = call;
      if (!ctx.path.endsWith('/')) throw words.noSuchPath();
      if (verb === 'POST' && !ctx.is('json', 'multipart')) throw words.invalid('The body must be JSON');
      if (params.required('business_id') !== names.openId('business', caller.person)) throw words.noScope();
      return wrap(await run(call));
    });
  };

/** Shows the requested fields (a JSON list), or the default ones. */
export const fieldsOf = <T>({ params }: Call, all: FieldTable<T>, usual: readonly string[]) =>
  showFields(all, (params.list('fields') as readonly string[] | undefined) ?? usual, (names) =>
    words.invalid(`fields: ${names} is not supported`),
  );

export function sizeOf({ params }: Call, most: number, usual: number, name = 'max_count'): number {
  const size = params.whole(name) ?? usual;
  if (size < 1 || size > most) throw words.invalid(`${name} must be from 1 to ${most}`);
  return size;
}

/** One page of a list, by offset. */
export const cut = <T>(call: Call, all: readonly T[], most: number, name?: string) =>
  pageFrom(all, call.params.whole('cursor') ?? 0, sizeOf(call, most, 20, name));
