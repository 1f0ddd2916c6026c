import * as z from 'zod';
import type { AccountCall } from '../call.ts';
import { Id, makeGraph, type GraphRequest } from '../graph/api.ts';
import { sessionParser } from '../shared/session.ts';
import { unending } from '../app/versions.ts';
import { errorOf } from './errors.ts';

/** The version of the Threads API, which has never had another. */
export const API = unending(
  'Threads API',
  'v1.0',
  'https://developers.facebook.com/docs/threads/changelog',
  'the number 2635',
);

const Stored = z.object({
  token: z.string().min(1),
  user_id: Id,
  /** The time when the token was issued, in milliseconds. */
  issued_at: z.number(),
});

export type ThreadsSession = z.output<typeof Stored>;

export const sessionOf = sessionParser(Stored);

export const { request: graph } = makeGraph(errorOf, API);

export function asUser<T extends z.ZodType>(call: AccountCall, request: GraphRequest, schema: T): Promise<z.output<T>> {
  return graph(call, { ...request, token: sessionOf(call.session).token }, schema);
}

/** A request on the session's profile; `path` is given without the profile's id. */
export function atProfile<T extends z.ZodType>(
  call: AccountCall,
  { path, ...request }: GraphRequest,
  schema: T,
): Promise<z.output<T>> {
  return asUser(call, { ...request, path: `/{user}${path}`, ids: { user: sessionOf(call.session).user_id } }, schema);
}
