import * as z from 'zod';
import type { AccountCall, Hosts, UnauthenticatedCall } from '../call.ts';
import { type Answer, type RestRequest, makeRest } from '../shared/rest.ts';
import { sessionParser } from '../shared/session.ts';
import { errorOf } from './errors.ts';

const sessionOf = sessionParser(
  z.object({ access_token: z.string().min(1), refresh_token: z.string().min(1).optional() }),
);
export type PinterestSession = ReturnType<typeof sessionOf>;

type TokenCall = UnauthenticatedCall & Readonly<{ token: string }>;

const rest = makeRest<TokenCall>({
  base: ({ hosts }) => `${hosts['api']!}/v5`,
  headers: ({ token }) => ({ authorization: `Bearer ${token}` }),
  errorOf,
});

const withToken = (call: AccountCall): TokenCall => ({ ...call, token: sessionOf(call.session).access_token });

export const requestWith = <T extends z.ZodType>(
  call: TokenCall,
  request: RestRequest,
  schema: T,
): Promise<z.output<T>> => rest.request(call, request, schema);

export const request = <T extends z.ZodType>(
  call: AccountCall,
  options: RestRequest,
  schema: T,
): Promise<z.output<T>> => rest.request(withToken(call), options, schema);

/** For requests whose response headers are used, or whose response has no body. */
export const answerTo = (call: AccountCall, options: RestRequest): Promise<Answer> =>
  rest.answerTo(withToken(call), options);

/** A list page; its bookmark is null on the last page. */
export const Page = z.object({
  items: z.array(z.unknown()),
  bookmark: z
    .string()
    .min(1)
    .nullish()
    .catch(undefined)
    .transform((bookmark) => bookmark ?? undefined),
});

export const pinUrl = (hosts: Hosts, id: string): string => `${hosts['www']!}/pin/${id}/`;
