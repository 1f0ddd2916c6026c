import type * as z from 'zod';
import { PLATFORM_REASONS } from '../../kernel/errors.ts';
import { OutboundError } from '../../kernel/net/outbound.ts';
import type { AccountCall, Hosts, PlatformAnswer, PlatformRequest, UnauthenticatedCall } from '../call.ts';
import { PlatformError } from '../errors.ts';
import { refusalOf } from './errors.ts';
import { sessionOf } from './accounts/session.ts';

const DEADLINE_MS = 15_000;
const MOST_BYTES = 2 * 1024 * 1024;

/** One XRPC call: a query (GET) unless `post` or `bytes` is given. */
export type Ask = Readonly<{
  method: string;
  query?: Readonly<Record<string, string | number | readonly string[] | undefined>>;
  /** Posted as JSON; `post: {}` is a procedure without input. */
  post?: Readonly<Record<string, unknown>>;
  /** Sent unchanged as the body. */
  bytes?: Readonly<{ body: Uint8Array; type: string }>;
  token?: string;
  /** For the chat service; the account's PDS proxies it. */
  chat?: true;
  maxBytes?: number;
  deadlineMs?: number;
}>;

/** The base URL of the account's PDS, or of the platform's service if the session names none. */
export function pdsOf(call: AccountCall): string {
  return sessionOf(call.session).pds ?? call.hosts['service']!;
}

/** Whether the host comes from outside our configuration. */
export function isGiven(hosts: Hosts, url: string): boolean {
  const origin = new URL(url).origin;
  return origin !== new URL(hosts['service']!).origin && origin !== new URL(hosts['plc']!).origin;
}

/** Calls a server and parses its answer with the schema. */
export async function xrpc<T extends z.ZodType>(
  call: UnauthenticatedCall,
  server: string,
  ask: Ask,
  schema: T,
): Promise<z.output<T>> {
  const answer = await ok(call, server, ask);
  const parsed = schema.safeParse(jsonOf(answer));
  if (!parsed.success) throw unreadable(answer.status);
  return parsed.data;
}

/** Calls the account's PDS with its token and parses the answer with the schema. */
export function authed<T extends z.ZodType>(call: AccountCall, ask: Ask, schema: T): Promise<z.output<T>> {
  return xrpc(call, pdsOf(call), withToken(call, ask), schema);
}

/** Calls the account's PDS and returns the response headers. */
export async function headersOf(call: AccountCall, ask: Ask): Promise<PlatformAnswer['headers']> {
  return (await ok(call, pdsOf(call), withToken(call, ask))).headers;
}

function withToken(call: AccountCall, ask: Ask): Ask {
  return { ...ask, token: sessionOf(call.session).accessJwt };
}

async function ok(call: UnauthenticatedCall, server: string, ask: Ask): Promise<PlatformAnswer> {
  const answer = await send(call, requestOf(call.hosts, server, ask));
  if (answer.status < 200 || answer.status > 299) throw refusalOf(answer, call.now(), ask.chat ? 'chat' : 'network');
  return answer;
}

/** Errors that mean a wrong address rather than an unavailable server. */
const NO_SERVER: ReadonlySet<string> = new Set(['refused_address', 'bad_url', 'dns']);

/** Sends a request; a failure without a response is `not_sent` only if provably nothing was sent. */
export async function send(call: UnauthenticatedCall, request: PlatformRequest): Promise<PlatformAnswer> {
  try {
    return await call.http(request);
  } catch (cause) {
    if (!(cause instanceof OutboundError)) throw cause;
    if (request.given && NO_SERVER.has(cause.kind)) {
      throw new PlatformError('refused', 'invalid_request', 'The server that was named cannot be reached from here.', {
        upstream: cause.message,
        cause,
      });
    }
    const outcome = cause.sent ? 'unknown' : 'not_sent';
    throw new PlatformError(outcome, 'api_error', PLATFORM_REASONS.api_error[1], { upstream: cause.message, cause });
  }
}

/** Sends a best-effort request; undefined if there is no response. */
export async function trySend(
  call: UnauthenticatedCall,
  request: PlatformRequest,
): Promise<PlatformAnswer | undefined> {
  try {
    return await call.http(request);
  } catch (error) {
    if (error instanceof OutboundError) return undefined;
    throw error;
  }
}

/** The JSON body, or undefined if it is not JSON. */
export function jsonOf(answer: PlatformAnswer): unknown {
  try {
    return JSON.parse(Buffer.from(answer.body).toString('utf8'));
  } catch {
    return undefined;
  }
}

function requestOf(hosts: Hosts, server: string, ask: Ask): PlatformRequest {
  const url = new URL(`${server}/xrpc/${ask.method}`);
  for (const [name, value] of Object.entries(ask.query ?? {})) {
    for (const one of [value ?? []].flat()) url.searchParams.append(name, String(one));
  }
  const headers: Record<string, string> = { accept: 'application/json' };
  if (ask.token) headers['authorization'] = `Bearer ${ask.token}`;
  if (ask.chat) headers['atproto-proxy'] = `${hosts['chat']!}#bsky_chat`;
  if (ask.bytes) headers['content-type'] = ask.bytes.type;
  // A procedure without input must have no body, or the server tries to parse one.
  const json = ask.post && Object.keys(ask.post).length > 0 ? JSON.stringify(ask.post) : undefined;
  if (json !== undefined) headers['content-type'] = 'application/json';
  const body = ask.bytes?.body ?? json;
  return {
    method: ask.post || ask.bytes ? 'POST' : 'GET',
    url: url.href,
    headers,
    ...(body !== undefined && { body }),
    given: isGiven(hosts, server),
    template: `/xrpc/${ask.method}`,
    maxBytes: ask.maxBytes ?? MOST_BYTES,
    deadlineMs: ask.deadlineMs ?? DEADLINE_MS,
  };
}

function unreadable(status: number): PlatformError {
  return new PlatformError('unknown', 'api_error', PLATFORM_REASONS.api_error[1], {
    status,
    upstream: `unreadable answer ${status}`,
  });
}
