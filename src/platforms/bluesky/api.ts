import type * as z from 'zod';
import type { AccountCall, Hosts, PlatformAnswer, StreamedBody, UnauthenticatedCall } from '../call.ts';
import { type RestRequest, type Fields, makeRest } from '../shared/rest.ts';
import { sessionOf } from './accounts/session.ts';
import { errorOf } from './errors.ts';

/** One XRPC call: a query (GET) unless `post` or `bytes` is given. */
export type XrpcRequest = Readonly<{
  method: string;
  query?: Fields;
  /** The input, posted as JSON; `post: {}` calls a procedure without input. */
  post?: Readonly<Record<string, unknown>>;
  bytes?: Readonly<{ body: Uint8Array | StreamedBody; type: string }>;
  token?: string;
  /** Set for the chat service, to which the account's PDS forwards the request. */
  chat?: true;
  maxBytes?: number;
  deadlineMs?: number;
}>;

type AddressedRequest = RestRequest & Readonly<{ server: string; token?: string | undefined; chat?: true | undefined }>;

const rest = makeRest<UnauthenticatedCall, AddressedRequest>({
  base: (_, { server }) => `${server}/xrpc`,
  headers: ({ hosts }, { token, chat }) => ({
    ...(token && { authorization: `Bearer ${token}` }),
    ...(chat && { 'atproto-proxy': `${hosts['chat']!}#bsky_chat` }),
  }),
  errorOf: (answer, { now }, { chat }) => errorOf(answer, now(), chat ? 'chat' : 'network'),
  isGiven: ({ hosts }, { server }) => isGiven(hosts, server),
});

export function pdsOf(call: AccountCall): string {
  return sessionOf(call.session).pds ?? call.hosts['service']!;
}

/** Whether a host is not one of the configured ones, so that the address guard applies. */
function isGiven(hosts: Hosts, url: string): boolean {
  const origin = new URL(url).origin;
  return origin !== new URL(hosts['service']!).origin && origin !== new URL(hosts['plc']!).origin;
}

export function xrpc<T extends z.ZodType>(
  call: UnauthenticatedCall,
  server: string,
  request: XrpcRequest,
  schema: T,
): Promise<z.output<T>> {
  return rest.request(call, requestOf(server, request), schema);
}

export function authed<T extends z.ZodType>(call: AccountCall, request: XrpcRequest, schema: T): Promise<z.output<T>> {
  return xrpc(call, pdsOf(call), withToken(call, request), schema);
}

export async function headersOf(call: AccountCall, request: XrpcRequest): Promise<PlatformAnswer['headers']> {
  return (await rest.answerTo(call, requestOf(pdsOf(call), withToken(call, request)))).headers;
}

function withToken(call: AccountCall, request: XrpcRequest): XrpcRequest {
  return { ...request, token: sessionOf(call.session).accessJwt };
}

function requestOf(server: string, { method, post, bytes, ...request }: XrpcRequest): AddressedRequest {
  return {
    ...request,
    server,
    method: post || bytes ? 'POST' : 'GET',
    path: `/${method}`,
    // A procedure without input must be sent without a body, or the server tries to parse it.
    ...(post && Object.keys(post).length > 0 && { json: post }),
    ...(bytes && { body: { type: bytes.type, content: bytes.body } }),
  };
}
