import * as z from 'zod';
import { PLATFORM_REASONS } from '../../kernel/errors.ts';
import { randomHex } from '../../kernel/ids.ts';
import { OutboundError } from '../../kernel/net/outbound.ts';
import type { AccountCall, PlatformAnswer, PlatformRequest, UnauthenticatedCall } from '../call.ts';
import { PlatformError } from '../errors.ts';
import { graphErrorIn, isFinalUpload, isGraph, refusalOf } from './errors.ts';
import { pageToken, sessionOf } from './accounts/session.ts';

/** The Graph API version that this code targets (available until 2028-07-29). */
export const VERSION = 'v25.0';

const DEADLINE_MS = 15_000;
/** Deadline of requests that upload a file. */
export const UPLOAD_DEADLINE_MS = 60_000;
const MOST_BYTES = 4 * 1024 * 1024;

export type Fields = Readonly<Record<string, string | number | boolean | undefined>>;

/** A file in a multipart form. */
export type Part = Readonly<{ name: string; filename: string; type: string; bytes: Uint8Array }>;

/** One call of the Graph API. */
export type Ask = Readonly<{
  method: 'GET' | 'POST' | 'DELETE';
  /** Path below the version, such as `/{page}/feed`; placeholders are filled from `ids` and logged unfilled. */
  path: string;
  ids?: Readonly<Record<string, string>>;
  query?: Fields;
  /** Sent as a form; non-scalar values are encoded as JSON. */
  form?: Fields;
  /** Sent as JSON. */
  json?: Readonly<Record<string, unknown>>;
  /** Sent as a multipart form: the fields of `form` and this file. */
  file?: Part;
  host?: 'graph' | 'video';
  deadlineMs?: number;
}>;

/** The response to a change. */
export const Success = z.object({ success: z.literal(true) });
/** Ids are strings except in responses of the token endpoints, from which we read none. */
export const Id = z.string().min(1).max(300);
export const Made = z.object({ id: Id });
/** Changes return either of these forms. */
export const Changed = z.union([Success, Made]);

/** A page of a list. */
export function listOf<T extends z.ZodType>(item: T) {
  const paging = z.object({
    cursors: z.object({ after: z.string().max(4000).optional() }).optional(),
    next: z.string().optional(),
  });
  return z.object({ data: z.array(item), paging: paging.optional() });
}

/**
 * The cursor of the next page. The last page has a cursor too, but no `next`. The `next` URL is not used because it
 * contains a token.
 */
export function cursorOf(list: Readonly<{ paging?: ListPaging | undefined }>): string | undefined {
  return list.paging?.next === undefined ? undefined : list.paging.cursors?.after;
}
type ListPaging = Readonly<{
  cursors?: Readonly<{ after?: string | undefined }> | undefined;
  next?: string | undefined;
}>;

/** Calls the Graph API and parses the response with the schema. */
export async function graph<T extends z.ZodType>(
  call: UnauthenticatedCall,
  ask: Ask & Readonly<{ token?: string | undefined }>,
  schema: T,
): Promise<z.output<T>> {
  return answerOf(await send(call, requestOf(call, ask)), schema);
}

/** Calls with the token of the person who connected. */
export function asUser<T extends z.ZodType>(call: AccountCall, ask: Ask, schema: T): Promise<z.output<T>> {
  return graph(call, { ...ask, token: sessionOf(call.session).user_token }, schema);
}

/** Calls with the token of a page. */
export async function asPage<T extends z.ZodType>(
  call: AccountCall,
  page: string | undefined,
  ask: Ask,
  schema: T,
): Promise<z.output<T>> {
  try {
    return await graph(call, { ...ask, token: pageToken(sessionOf(call.session), page) }, schema);
  } catch (error) {
    // A lost role on one page is reported as such; the other pages stay connected.
    if (!isGraph(error, 190, 492)) throw error;
    await assertLogin(call);
    const { upstream = '', status = 400 } = error;
    const lost = 'The login has lost its role on this Page.';
    throw new PlatformError('refused', 'permission_denied', lost, { status, upstream, cause: error });
  }
}

/** Throws if the login itself has ended; an inconclusive check changes nothing. */
async function assertLogin(call: AccountCall): Promise<void> {
  try {
    await asUser(call, { method: 'GET', path: '/me', query: { fields: 'id' } }, Made);
  } catch (error) {
    if (!(error instanceof PlatformError) || error.reason === 'auth') throw error;
  }
}

/** Reads a list to its end, at most `most` items. */
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

/** Uploads bytes of a video to the upload host from an offset. */
export async function sendBytes(
  call: AccountCall,
  page: string | undefined,
  { video, bytes, offset }: Readonly<{ video: string; bytes: Uint8Array; offset: number }>,
): Promise<void> {
  const answer = await send(call, {
    method: 'POST',
    url: `${call.hosts['rupload']!}/video-upload/${VERSION}/${segment(video)}`,
    headers: {
      // Only this host expects the token in this form.
      authorization: `OAuth ${pageToken(sessionOf(call.session), page)}`,
      offset: String(offset),
      file_size: String(bytes.byteLength),
      'content-type': 'application/octet-stream',
    },
    body: bytes.subarray(offset),
    template: '/video-upload/{video}',
    maxBytes: MOST_BYTES,
    deadlineMs: UPLOAD_DEADLINE_MS,
  });
  if (answer.status >= 400 && answer.status < 500 && isFinalUpload(jsonOf(answer))) {
    const upstream = Buffer.from(answer.body).toString('utf8').slice(0, 300);
    const { status } = answer;
    throw new PlatformError('refused', 'invalid_request', 'Facebook cannot use this video; try another file.', {
      status,
      upstream,
    });
  }
  answerOf(answer, Success);
}

/** Sends a request; a failure without a response is `not_sent` only if provably nothing was sent. */
async function send(call: UnauthenticatedCall, request: PlatformRequest): Promise<PlatformAnswer> {
  try {
    return await call.http(request);
  } catch (cause) {
    if (!(cause instanceof OutboundError)) throw cause;
    const outcome = cause.sent ? 'unknown' : 'not_sent';
    throw new PlatformError(outcome, 'api_error', PLATFORM_REASONS.api_error[1], { upstream: cause.message, cause });
  }
}

function answerOf<T extends z.ZodType>(answer: PlatformAnswer, schema: T): z.output<T> {
  const body = jsonOf(answer);
  const error = graphErrorIn(body);
  if (error || answer.status < 200 || answer.status > 299) throw refusalOf(answer, error);
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new PlatformError('unknown', 'api_error', PLATFORM_REASONS.api_error[1], {
    status: answer.status,
    upstream: `unreadable answer ${answer.status}`,
  });
}

function jsonOf(answer: PlatformAnswer): unknown {
  try {
    return JSON.parse(Buffer.from(answer.body).toString('utf8'));
  } catch {
    return undefined;
  }
}

function requestOf(
  { hosts }: UnauthenticatedCall,
  { token, ...ask }: Ask & Readonly<{ token?: string | undefined }>,
): PlatformRequest {
  const path = ask.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => segment(ask.ids?.[name]));
  const url = new URL(`${hosts[ask.host ?? 'graph']!}/${VERSION}${path}`);
  for (const [name, value] of set(ask.query)) url.searchParams.append(name, value);
  const body = bodyOf(ask);
  return {
    method: ask.method,
    url: url.href,
    headers: {
      accept: 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': body.type }),
    },
    ...(body && { body: body.content }),
    template: ask.path,
    maxBytes: MOST_BYTES,
    deadlineMs: ask.deadlineMs ?? (ask.file ? UPLOAD_DEADLINE_MS : DEADLINE_MS),
  };
}

/** Ids may come from callers: an id that could leave its path segment is treated as not found. */
function segment(id: string | undefined): string {
  if (id === undefined || !/^[\w.:~=+-]{1,300}$/.test(id) || /^\.+$/.test(id)) {
    throw new PlatformError('refused', 'not_found', PLATFORM_REASONS.not_found[1]);
  }
  return encodeURIComponent(id);
}

function set(fields: Fields = {}): [name: string, value: string][] {
  return Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
}

function bodyOf({ form, json, file }: Ask): Readonly<{ type: string; content: string | Uint8Array }> | undefined {
  if (json) return { type: 'application/json', content: JSON.stringify(json) };
  if (file) return partsOf(set(form), file);
  if (!form) return undefined;
  return { type: 'application/x-www-form-urlencoded', content: new URLSearchParams(set(form)).toString() };
}

/** Encodes the parts; the boundary is random so that no file can contain it. */
function partsOf(fields: readonly (readonly [string, string])[], file: Part) {
  const texts = fields.map(([name, value]) => `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`);
  const boundary = `part-${randomHex(16)}`;
  const head =
    `Content-Disposition: form-data; name="${file.name}"; filename="${file.filename}"\r\n` +
    `Content-Type: ${file.type}\r\n\r\n`;
  const opening = texts.map((text) => `--${boundary}\r\n${text}`).join('');
  const content = Buffer.concat([
    Buffer.from(`${opening}--${boundary}\r\n${head}`),
    file.bytes,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  return { type: `multipart/form-data; boundary=${boundary}`, content };
}
