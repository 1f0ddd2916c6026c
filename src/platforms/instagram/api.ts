import * as z from 'zod';
import type { AccountCall } from '../call.ts';
import { type GraphRequest, makeGraph } from '../graph/api.ts';
import { sessionParser } from '../shared/session.ts';
import { errorOf } from './errors.ts';

const Stored = z.object({
  /** Of the person by Instagram login, of the Page by Facebook login. */
  token: z.string().min(1),
  /** The professional account: its id in paths and pushes. */
  user_id: z.string().min(1),
  /** What the app calls the person. */
  login_id: z.string().min(1),
  /** When the token was issued; by Instagram login. */
  issued_at: z.number().default(0),
  /** The linked Page, and the token of the person; by Facebook login. */
  page_id: z.string().optional(),
  user_token: z.string().optional(),
});

export type InstagramSession = z.input<typeof Stored>;

/** Parses a stored session; an invalid one requires a reconnect. */
export const sessionOf = sessionParser(Stored);

/** Calls a Graph API and parses the response with the schema. */
export const { request: graph } = makeGraph(errorOf);

/** Whether the account is reached by the Page it is linked to, by Facebook login. */
export const isLinked = ({ session }: AccountCall): boolean => sessionOf(session).page_id !== undefined;

/** Calls as the account, whose id a path may name as `{user}`. */
export function asAccount<T extends z.ZodType>(
  call: AccountCall,
  request: GraphRequest,
  schema: T,
): Promise<z.output<T>> {
  const { token, user_id: user, page_id } = sessionOf(call.session);
  const host = page_id === undefined ? 'graph' : 'facebook';
  return graph(call, { token, ...request, ids: { user, ...request.ids }, host }, schema);
}

/** The id of the professional account. */
export const userOf = ({ session }: AccountCall): string => sessionOf(session).user_id;

/** The id below which messages and subscriptions are: that of the linked Page, else of the account. */
export function ownerOf({ session }: AccountCall): string {
  const { page_id: page, user_id: user } = sessionOf(session);
  return page ?? user;
}
