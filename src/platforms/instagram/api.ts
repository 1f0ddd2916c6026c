import * as z from 'zod';
import type { AccountCall } from '../call.ts';
import { type GraphRequest, makeGraph } from '../graph/api.ts';
import { sessionParser } from '../shared/session.ts';
import { errorOf } from './errors.ts';

const Stored = z.object({
  /** The access token: of the person with Instagram login, of the Page with Facebook login. */
  token: z.string().min(1),
  /** The id of the professional account, as used in paths and pushes. */
  user_id: z.string().min(1),
  /** The app-scoped id of the person. */
  login_id: z.string().min(1),
  /** The time of issue in milliseconds; 0 with Facebook login. */
  issued_at: z.number().default(0),
  /** The linked Page and the person's token, for Facebook login only. */
  page_id: z.string().optional(),
  user_token: z.string().optional(),
});

export type InstagramSession = z.input<typeof Stored>;

export const sessionOf = sessionParser(Stored);

export const { request: graph } = makeGraph(errorOf);

/** Whether the account is connected by Facebook login, through its linked Page. */
export const isLinked = ({ session }: AccountCall): boolean => sessionOf(session).page_id !== undefined;

/** Sends a request with the account's token; in the path, `{user}` stands for the account's id. */
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

/** The id that owns messages and subscriptions: the linked Page's, or else the account's. */
export function ownerOf({ session }: AccountCall): string {
  const { page_id: page, user_id: user } = sessionOf(session);
  return page ?? user;
}
