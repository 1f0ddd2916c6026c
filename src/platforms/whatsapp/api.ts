import type * as z from 'zod';
import type { AccountCall } from '../call.ts';
import { type GraphRequest, makeGraph } from '../graph/api.ts';
import { errorOf, stateErrors } from './errors.ts';
import { sessionOf } from './session.ts';

export const { request: graph } = makeGraph(errorOf);

/** Makes a client for the account; in paths, `{number}` is its phone number and `{waba}` its business account. */
const asAccountBy = (request: typeof graph) =>
  function asAccount<T extends z.ZodType>(call: AccountCall, options: GraphRequest, schema: T): Promise<z.output<T>> {
    const { token, phone_number_id: number, waba_id: waba } = sessionOf(call.session);
    return request(call, { ...options, ids: { number, waba, ...options.ids }, token }, schema);
  };

export const asAccount = asAccountBy(graph);

/** Sends a change of the state of a number or template, which has additional errors. */
export const changeState = asAccountBy(makeGraph(stateErrors.errorOf).request);
