import type * as z from 'zod';
import type { AccountCall } from '../call.ts';
import { type GraphAsk, makeGraph } from '../graph/api.ts';
import { errorOf } from './errors.ts';
import { sessionOf } from './session.ts';

/** Calls the Graph API and parses the response with the schema. */
export const { request: graph } = makeGraph(errorOf);

/** Calls for the account; a path may name `{number}`, the id of its phone number, and `{waba}`, its business account. */
export function asAccount<T extends z.ZodType>(call: AccountCall, ask: GraphAsk, schema: T): Promise<z.output<T>> {
  const { token, phone_number_id: number, waba_id: waba } = sessionOf(call.session);
  return graph(call, { ...ask, ids: { number, waba, ...ask.ids }, token }, schema);
}
