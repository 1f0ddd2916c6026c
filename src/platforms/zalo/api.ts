import * as z from 'zod';
import type { AccountCall, UnauthenticatedCall } from '../call.ts';
import { dataOf } from '../shared/fields.ts';
import { type RestRequest, type Fields, makeRest } from '../shared/rest.ts';
import { sessionParser } from '../shared/session.ts';
import { errorOf } from './errors.ts';

/** The session of an official account; articles name the account as their author. */
export const sessionOf = sessionParser(
  z.object({
    access_token: z.string().min(1),
    refresh_token: z.string().min(1),
    oa_id: z.string().min(1),
    name: z.string(),
  }),
);
export type ZaloSession = ReturnType<typeof sessionOf>;

type TokenCall = UnauthenticatedCall & Readonly<{ token: string }>;

const rest = makeRest<TokenCall>({
  base: ({ hosts }) => hosts['openapi']!,
  headers: ({ token }) => ({ access_token: token }),
  errorOf,
  big: true,
});

/** Sends a request and returns the `data` member of the response. */
export async function requestWith<T extends z.ZodType>(
  call: TokenCall,
  request: RestRequest,
  data: T,
): Promise<z.output<T>> {
  return rest.request(call, request, dataOf(data));
}

export function callApi<T extends z.ZodType>(call: AccountCall, request: RestRequest, data: T): Promise<z.output<T>> {
  return requestWith({ ...call, token: sessionOf(call.session).access_token }, request, data);
}

/** The only parameter of inbox requests, which contains JSON. */
export const inData = (value: object): Fields => ({ data: JSON.stringify(value) });
