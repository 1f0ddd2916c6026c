import * as z from 'zod';
import { matching } from '#kernel/config/values.ts';
import { tableOf } from '#kernel/text/table.ts';
import type { AccountCall } from '../call.ts';
import type { Paging } from '../interactions.ts';
import { unfit } from '../shared/errors.ts';
import { count, word } from '../shared/fields.ts';
import { type RestRequest, makeRest, type Path } from '../shared/rest.ts';
import { sessionParser } from '../shared/session.ts';
import { type ApiVersion, versionIn } from '../app/versions.ts';
import { errorOf } from './errors.ts';

const VERSION = '202607';

/** The version of the API; LinkedIn ends each version after about a year. */
export const API = Object.freeze<ApiVersion>({
  api: 'Marketing API',
  version: VERSION,
  setting: {
    name: 'LINKEDIN_VERSION',
    meaning: 'The version of the API, as 202607; each is good for about a year.',
    otherwise: VERSION,
    parse: matching(/^20\d{4}$/, 'must be a year and month, such as 202607'),
    everywhere: true,
  },
  ends: tableOf({ '202601': '2027-01-15', '202602': '2027-02-15', '202603': '2027-03-16' }),
  // LinkedIn supports a version for at least a year.
  lasts: (version) => `${Number(version.slice(0, 4)) + 1}-${version.slice(4, 6)}-01`,
  gone: '426 `NONEXISTENT_VERSION`',
  source: 'https://learn.microsoft.com/en-us/linkedin/marketing/integrations/migrations',
});

const access = z.string().min(1);
const tokenOf = sessionParser(z.object({ access }));

/** The session of a login: the member, and the organizations whose pages the member manages. */
export const sessionOf = sessionParser(
  z.object({
    access,
    /** The refresh token, which only some apps get. */
    refresh: z.string().min(1).optional(),
    until: z.number().optional(),
    member: z.string().min(1),
    scopes: z.array(z.string()),
    organizations: z.array(z.string()),
  }),
);

/** Calls the API, or in `to` a URL that the API returned. */
export const { request: callApi, answerTo } = makeRest<AccountCall, RestRequest & Readonly<{ to?: string }>>({
  base: ({ hosts }, { to }) => to ?? hosts['api']!,
  headers: ({ session, settings }) => ({
    authorization: `Bearer ${tokenOf(session).access}`,
    'linkedin-version': versionIn(API, settings),
    'x-restli-protocol-version': '2.0.0',
  }),
  errorOf: (answer, { now }) => errorOf(answer, now()),
});

export const Urn = z.string().regex(/^urn:li:\w+:.{1,200}$/);

/** The kind of object that a URN identifies: `share`, `ugcPost`, `organization`, … */
export const kindOfUrn = (urn: string): string => urn.split(':')[2] ?? '';
export const idOfUrn = (urn: string): string => urn.split(':').slice(3).join(':');

export const isOrganization = (actor: string): boolean => kindOfUrn(actor) === 'organization';

/** The page that acts: an organization, or the member. */
export function actorOf(page: string | undefined): string {
  if (page === undefined) throw unfit('The page has to be named.');
  return page;
}

const MOST_PER_PAGE = 100;
const links = z.array(z.looseObject({ rel: word })).catch([]);
export const Elements = z.object({
  elements: z.array(z.unknown()).catch([]),
  paging: z.object({ total: count, links }).optional().catch(undefined),
});

/** Reads a list page; the cursor is the number of items before the next page. */
export async function readPage(call: AccountCall, request: Path & Pick<RestRequest, 'headers'>, page: Paging) {
  const [start, limit] = [Number(page.cursor ?? 0), Math.min(page.limit, MOST_PER_PAGE)];
  const path = `${request.path}${request.path.includes('?') ? '&' : '?'}start=${start}&count=${limit}`;
  const { elements, paging } = await callApi(call, { ...request, method: 'GET', path }, Elements);
  const { total = 0, links: others = [] } = paging ?? {};
  const isMore = others.some(({ rel }) => rel === 'next') || start + limit < total;
  return { elements, total, cursor: elements.length > 0 && isMore ? String(start + limit) : undefined };
}

export const postUrl = (hosts: AccountCall['hosts'], post: string): string => `${hosts['www']!}/feed/update/${post}`;
