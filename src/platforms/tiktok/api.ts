import * as z from 'zod';
import type { AccountCall, Hosts, UnauthenticatedCall } from '../call.ts';
import { type RestRequest, makeRest } from '../shared/rest.ts';
import { sessionParser } from '../shared/session.ts';
import { errorOf } from './errors.ts';
import { dataOf, maybeId } from '../shared/fields.ts';

/** A list page whose items are parsed one by one. */
export const listIn = (name: string) =>
  z.looseObject({ cursor: maybeId, has_more: z.boolean().catch(false) }).transform(({ cursor, has_more, ...more }) => ({
    items: z.array(z.unknown()).catch([]).parse(more[name]),
    cursor: has_more ? cursor : undefined,
  }));

/** Parses a session; `app` is the app of the person who supplied a key. */
export const sessionOf = sessionParser(
  z.object({
    access_token: z.string().min(1),
    refresh_token: z.string().min(1).optional(),
    open_id: z.string().min(1),
    username: z.string().optional(),
    /** The granted scopes, if known. */
    scopes: z.array(z.string()).readonly().optional(),
    app: z.object({ id: z.string().min(1), secret: z.string().min(1) }).optional(),
  }),
);
export type TikTokSession = ReturnType<typeof sessionOf>;

type TokenCall = UnauthenticatedCall & Readonly<{ token?: string }>;

/** Whether a path belongs to TikTok for Developers and not to the API for Business. */
const isDeveloper = ({ path }: RestRequest): boolean => path.startsWith('/v2/');
const rest = makeRest<TokenCall>({
  base: ({ hosts }, request) => (isDeveloper(request) ? hosts['api']! : `${hosts['business']!}/open_api/v1.3`),
  headers({ token }, request): Readonly<Record<string, string>> {
    if (token === undefined) return {};
    return isDeveloper(request) ? { authorization: `Bearer ${token}` } : { 'access-token': token };
  },
  errorOf,
  big: true,
});

export function requestWith<T extends z.ZodType>(call: TokenCall, request: RestRequest, data: T): Promise<z.output<T>> {
  return rest.request(call, request, dataOf(data));
}

/** Sends a request whose response is not used. */
export const tell = async (call: TokenCall, path: string, more: Partial<RestRequest>): Promise<void> =>
  void (await rest.answerTo(call, { method: 'POST', path, ...more }));

const asAccount = (call: AccountCall) => ({ ...call, token: sessionOf(call.session).access_token });

export const asCreator = <T extends z.ZodType>(call: AccountCall, path: string, data: T, more: Partial<RestRequest>) =>
  requestWith(asAccount(call), { method: 'POST', path, ...more }, data);

const own = ({ session }: AccountCall) => ({ business_id: sessionOf(session).open_id });

/** Reads from the API for Business, whose requests must all name the account. */
export const readBusiness = <T extends z.ZodType>(
  call: AccountCall,
  path: string,
  data: T,
  query: RestRequest['query'] = {},
) => requestWith(asAccount(call), { method: 'GET', path, query: { ...own(call), ...query } }, data);

export const sendBusiness = <T extends z.ZodType>(call: AccountCall, path: string, data: T, json: object) =>
  requestWith(asAccount(call), { method: 'POST', path, json: { ...own(call), ...json } }, data);

export const uploadBusiness = <T extends z.ZodType>(
  call: AccountCall,
  path: string,
  data: T,
  given: Partial<RestRequest>,
) => requestWith(asAccount(call), { method: 'POST', path, ...given, form: { ...own(call), ...given.form } }, data);

/** The URL of a post; TikTok finds the post by its id, even if the username is missing or outdated. */
export const permalinkOf = (hosts: Hosts, username = '', id: string, kind: 'video' | 'photo' = 'video'): string =>
  `${hosts['www']!}/@${username}/${kind}/${id}`;
