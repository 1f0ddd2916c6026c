import * as z from 'zod';
import type { AccountCall, UnauthenticatedCall } from '../call.ts';
import type { PlatformError } from '../errors.ts';
import { type Answer, type RestRequest, makeRest } from '../shared/rest.ts';
import { sessionParser } from '../shared/session.ts';

/** The session members that every Google login has. */
export const tokenFields = Object.freeze({
  access: z.string().min(1),
  /** Absent if Google returned it only for an earlier consent and it is no longer stored. */
  refresh: z.string().min(1).optional(),
});

export const sessionOf = sessionParser(z.object(tokenFields));

export type GoogleCall = UnauthenticatedCall & Readonly<{ access: string }>;

export const googleCall = (call: AccountCall): GoogleCall => ({ ...call, access: sessionOf(call.session).access });

/** A request to one of Google's APIs, each of which has its own host. */
export type GoogleRequest = RestRequest & Readonly<{ host: string }>;

export function googleRest(errorOf: (answer: Answer, now: number) => PlatformError | undefined) {
  return makeRest<GoogleCall, GoogleRequest>({
    base: ({ hosts }, { host }) => hosts[host]!,
    headers: ({ access }) => ({ authorization: `Bearer ${access}` }),
    errorOf: (answer, { now }) => errorOf(answer, now()),
  });
}

/** Absent or empty on the last page. */
export const nextPageToken = z
  .string()
  .optional()
  .catch(undefined)
  .transform((token) => token || undefined);

/** Safety limit: pages may be empty and still name a next one. */
const MOST_PAGES = 100;

/** Reads a list page by page, up to `most` items. */
export async function readPages<T>(
  read: (
    pageToken: string | undefined,
  ) => Promise<Readonly<{ items: readonly T[]; nextPageToken?: string | undefined }>>,
  most: number,
): Promise<readonly T[]> {
  const all: T[] = [];
  let token: string | undefined;
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const page = await read(token);
    all.push(...page.items);
    if (page.nextPageToken === undefined || page.nextPageToken === token || all.length >= most) break;
    token = page.nextPageToken;
  }
  return all.slice(0, most);
}
