import type * as z from 'zod';
import type { AccountCall } from '../call.ts';
import { type GraphAsk, makeGraph } from '../graph/api.ts';
import { sessionOf } from './accounts/session.ts';
import { errorOf } from './errors.ts';

/** Calls a Graph API and parses the response with the schema. */
export const { request: graph } = makeGraph(errorOf);

/** Whether the account is reached by the Page it is linked to, by Facebook login. */
export const isLinked = ({ session }: AccountCall): boolean => sessionOf(session).page_id !== undefined;

/** Calls as the account. */
export function asAccount<T extends z.ZodType>(call: AccountCall, ask: GraphAsk, schema: T): Promise<z.output<T>> {
  const host = isLinked(call) ? 'facebook' : 'graph';
  return graph(call, { token: sessionOf(call.session).token, ...ask, host }, schema);
}

/** The id of the professional account. */
export const userOf = ({ session }: AccountCall): string => sessionOf(session).user_id;

/** The id below which messages and subscriptions are: that of the linked Page, else of the account. */
export function ownerOf({ session }: AccountCall): string {
  const { page_id: page, user_id: user } = sessionOf(session);
  return page ?? user;
}
