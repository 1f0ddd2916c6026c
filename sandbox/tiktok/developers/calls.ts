import { showFields, type FieldTable } from '../../kit/api/listed.ts';
import { makeReader } from '../../kit/api/shapes.ts';
import { route, type Caller, type Rate, type Route, type RouteCall } from '../../kit/api/routes.ts';
import { requestId, WORDS } from '../errors.ts';

export type Call = RouteCall<Caller>;
export const words = WORDS.developers;

export const read = makeReader(({ place, words: what }) => words.invalid(`${place}: ${what}`));

/** A call whose path ends with a slash and whose response is wrapped. */
export const on = (
  verb: string,
  path: string,
  scope: string,
  rate: Rate,
  run: (call: Call) => unknown,
): Route<Caller> =>
  route<Caller>(verb, path, { scopes: scope === '' ? [] : [scope], rates: [rate] }, async (call) => {
    if (!call.ctx.path.endsWith('/')) throw words.noSuchPath();
    return { data: await run(call), error: { code: 'ok', message: '', log_id: requestId() } };
  });

/** Shows the requested fields; at least one has to be requested. */
export const fieldsOf = <T>({ params }: Call, all: FieldTable<T>) =>
  showFields(all, params.required('fields').split(','), (names) => words.invalid(`Fields ${names} are not valid`));
