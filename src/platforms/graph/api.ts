import * as z from 'zod';
import { matching } from '#kernel/config/values.ts';
import { tableOf } from '#kernel/text/table.ts';
import type { UnauthenticatedCall } from '../call.ts';
import type { PlatformError } from '../errors.ts';
import type { Paging } from '../interactions.ts';
import { type ApiVersion, versionIn } from '../app/versions.ts';
import { type Answer, type RestRequest, makeRest } from '../shared/rest.ts';
import type { Aged, ItemPage } from '../shared/inbox/newest.ts';

const parse = matching(/^v\d{1,3}\.\d$/, 'must be a version of the API, such as v26.0');

const VERSION = 'v25.0';

/** Versions of the Graph API, which Meta's platforms share. */
export const GRAPH = Object.freeze<ApiVersion>({
  api: 'Graph API',
  version: VERSION,
  setting: {
    name: 'GRAPH_VERSION',
    meaning: 'The version of the Graph API that facebook, instagram and whatsapp are called in.',
    otherwise: VERSION,
    parse,
    everywhere: true,
  },
  ends: tableOf({
    'v21.0': '2027-01-21',
    'v22.0': '2027-05-20',
    'v23.0': '2027-10-08',
    'v24.0': '2028-02-18',
    'v25.0': '2028-07-29',
  }),
  gone: 'the number 2635',
  source: 'https://developers.facebook.com/docs/graph-api/changelog/versions',
});

/** A Graph request; `path` is given without the version. */
export type GraphRequest = RestRequest &
  Readonly<{
    /** The name of the host, if it is not `graph`. */
    host?: string;
    token?: string | undefined;
  }>;

export const Success = z.object({ success: z.literal(true) });
/** Ids are strings, except in responses of token endpoints, whose ids are not used. */
export const Id = z.string().min(1).max(300);
/** The form of ids of posts, comments and templates; any other word is an alias such as `me`. */
export const GRAPH_ID = /^\d{1,30}(?:_\d{1,30}){0,2}$/;
export const Made = z.object({ id: Id });
/** The response to a change, which has one of two forms. */
export const Changed = z.union([Success, Made]);

/** Makes a Graph client, which sends tokens only as a header. */
export function makeGraph(errorOf: (answer: Answer) => PlatformError | undefined, api = GRAPH) {
  return makeRest<UnauthenticatedCall, GraphRequest>({
    base: ({ hosts, settings }, { host = 'graph' }) => `${hosts[host]!}/${versionIn(api, settings)}`,
    headers: (_, { token }) => (token === undefined ? undefined : { authorization: `Bearer ${token}` }),
    errorOf,
    // Some responses contain ids as bare numbers.
    big: true,
  });
}

/** A path with the version, for requests that do not use the Graph client. */
export const versioned = (path: string) => (settings: UnauthenticatedCall['settings']) =>
  `/${versionIn(GRAPH, settings)}${path}`;

export function listOf<T extends z.ZodType>(item: T) {
  const paging = z.object({
    cursors: z.object({ after: z.string().max(4000).optional() }).optional(),
    next: z.string().optional(),
  });
  return z.object({ data: z.array(item), paging: paging.optional() });
}

/** The next page's cursor. The last page has one but no `next`; its URL is not used, as it holds a token. */
export function cursorOf(list: Readonly<{ paging?: ListPaging | undefined }>): string | undefined {
  return list.paging?.next === undefined ? undefined : list.paging.cursors?.after;
}
type ListPaging = Readonly<{
  cursors?: Readonly<{ after?: string | undefined }> | undefined;
  next?: string | undefined;
}>;

/** The parameters that request a list page; `most` is the longest page that Graph returns. */
export function paged(fields: string, { limit, cursor: after }: Paging, most = 100) {
  return { fields, limit: Math.min(limit, most), after };
}

/** Reads all pages of a list, up to `most` items. */
export async function readAll<T extends z.ZodType>(
  read: (
    after: string | undefined,
  ) => Promise<Readonly<{ data: readonly z.output<T>[]; paging?: ListPaging | undefined }>>,
  most: number,
): Promise<readonly z.output<T>[]> {
  const all: z.output<T>[] = [];
  let after: string | undefined;
  do {
    const list = await read(after);
    all.push(...list.data);
    after = list.data.length > 0 ? cursorOf(list) : undefined;
  } while (after !== undefined && all.length < most);
  return all.slice(0, most);
}

/** Most pages to skip in a row, because pages may be empty or have only older items. */
const MOST_PASSED = 10;

/** In a list sorted oldest first, the first page with items newer than `since`. */
export async function readNewer<T extends Aged>(
  read: (after: string | undefined) => Promise<ItemPage<T>>,
  { cursor, since = -1 }: Readonly<{ cursor?: string | undefined; since?: number | undefined }>,
): Promise<ItemPage<T>> {
  let after = cursor;
  for (let reads = 1; ; reads += 1) {
    const page = await read(after);
    const items = page.items.filter(({ created_at: at }) => at > since);
    after = page.cursor;
    if (items.length > 0 || after === undefined || reads === MOST_PASSED) return { items, cursor: after };
  }
}
