import * as z from 'zod';
import type { AccountCall } from '../call.ts';
import { type GraphRequest, makeGraph } from '../graph/api.ts';
import { sessionParser } from '../shared/session.ts';
import { errorOf } from './errors.ts';

const Stored = z.object({
  /** By Instagram login the person's, by Facebook login the Page's. */
  token: z.string().min(1),
  /** The professional account: its id in paths and pushes. */
  user_id: z.string().min(1),
  /** The person's id for this app. */
  login_id: z.string().min(1),
  /** For tokens of Instagram login. */
  issued_at: z.number().default(0),
  /** For Facebook login: the linked Page, and the person's token. */
  page_id: z.string().optional(),
  user_token: z.string().optional(),
});

export type InstagramSession = z.input<typeof Stored>;

export const sessionOf = sessionParser(Stored);

export const { request: graph } = makeGraph(errorOf);

/** Whether the account is reached through its linked Page, by Facebook login. */
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

export const userOf = ({ session }: AccountCall): string => sessionOf(session).user_id;

/** The id that owns messages and subscriptions: that of the linked Page, else of the account. */
export function ownerOf({ session }: AccountCall): string {
  const { page_id: page, user_id: user } = sessionOf(session);
  return page ?? user;
}
