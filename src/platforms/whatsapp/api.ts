import type * as z from 'zod';
import type { AccountCall } from '../call.ts';
import { type GraphRequest, makeGraph } from '../graph/api.ts';
import { errorOf, stateErrors } from './errors.ts';
import { sessionOf } from './session.ts';

/** Calls the Graph API and parses the response with the schema. */
export const { request: graph } = makeGraph(errorOf);

/** Makes calls for the account; a path may name `{number}`, the id of its phone number, and `{waba}`, its business account. */
const asAccountBy = (request: typeof graph) =>
  function asAccount<T extends z.ZodType>(call: AccountCall, options: GraphRequest, schema: T): Promise<z.output<T>> {
    const { token, phone_number_id: number, waba_id: waba } = sessionOf(call.session);
    return request(call, { ...options, ids: { number, waba, ...options.ids }, token }, schema);
  };

/** Calls for the account. */
export const asAccount = asAccountBy(graph);

/** The same, where the state of a number or template is to be changed. */
export const changeState = asAccountBy(makeGraph(stateErrors.errorOf).request);
