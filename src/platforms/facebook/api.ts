import * as z from 'zod';
import { PLATFORM_REASONS } from '../../kernel/errors.ts';
import { randomHex } from '../../kernel/ids.ts';
import { OutboundError } from '../../kernel/net/outbound.ts';
import type { AccountCall, PlatformAnswer, PlatformRequest, UnauthenticatedCall } from '../call.ts';
import { PlatformError } from '../errors.ts';
import { graphErrorIn, isFinalUpload, isGraph, refusalOf } from './errors.ts';
import { pageToken, sessionOf } from './session.ts';

/** The version of the Graph API that everything here is written for (in force until 2028-07-29). */
export const VERSION = 'v25.0';

const DEADLINE_MS = 15_000;
/** Of requests that carry a file. */
export const UPLOAD_DEADLINE_MS = 60_000;
const MOST_BYTES = 4 * 1024 * 1024;

export type Fields = Readonly<Record<string, string | number | boolean | undefined>>;

/** A file as a part of a form. */
export type Part = Readonly<{ name: string; filename: string; type: string; bytes: Uint8Array }>;

/** One call of the Graph API. */
export type Ask = Readonly<{
  method: 'GET' | 'POST' | 'DELETE';
  /** Below the version, such as `/{page}/feed`; names in braces stand for `ids`, and the log shows it as it is. */
  path: string;
  ids?: Readonly<Record<string, string>>;
  query?: Fields;
  /** Posted as a form; what is no scalar goes in as JSON text. */
  form?: Fields;
  /** Posted as JSON. */
  json?: Readonly<Record<string, unknown>>;
  /** Posted as a form of parts: the fields of `form`, and this file. */
  file?: Part;
  host?: 'graph' | 'video';
  deadlineMs?: number;
}>;

/** The answer of a change. */
export const Success = z.object({ success: z.literal(true) });
/** Ids are strings everywhere but in answers of the token end points, where we read none. */
export const Id = z.string().min(1).max(300);
export const Made = z.object({ id: Id });
/** Some changes answer so, some so. */
export const Changed = z.union([Success, Made]);

/** A page of a list. */
export function listOf<T extends z.ZodType>(item: T) {
  const paging = z.object({
    cursors: z.object({ after: z.string().max(4000).optional() }).optional(),
    next: z.string().optional(),
  });
  return z.object({ data: z.array(item), paging: paging.optional() });
}

/** Where a list goes on: the last page has a cursor too, but no next. The address itself carries a token: not used. */
export function cursorOf(list: Readonly<{ paging?: ListPaging | undefined }>): string | undefined {
  return list.paging?.next === undefined ? undefined : list.paging.cursors?.after;
}
type ListPaging = Readonly<{
  cursors?: Readonly<{ after?: string | undefined }> | undefined;
  next?: string | undefined;
}>;

/** Calls the Graph API and answers what the schema knows of its answer. */
export async function graph<T extends z.ZodType>(
  call: UnauthenticatedCall,
  ask: Ask & Readonly<{ token?: string | undefined }>,
  schema: T,
): Promise<z.output<T>> {
  return answerOf(await send(call, requestOf(call, ask)), schema);
}

/** The same as the person who connected. */
export function asUser<T extends z.ZodType>(call: AccountCall, ask: Ask, schema: T): Promise<z.output<T>> {
  return graph(call, { ...ask, token: sessionOf(call.session).user_token }, schema);
}

/** The same as one of the pages. */
export async function asPage<T extends z.ZodType>(
  call: AccountCall,
  page: string | undefined,
  ask: Ask,
  schema: T,
): Promise<z.output<T>> {
  try {
    return await graph(call, { ...ask, token: pageToken(sessionOf(call.session), page) }, schema);
  } catch (error) {
    // Who lost a role on one page is told so; it is no reason to disconnect the others.
    if (!isGraph(error, 190, 492)) throw error;
    await assertLogin(call);
    const { upstream = '', status = 400 } = error;
    const lost = 'The login has lost its role on this Page.';
    throw new PlatformError('refused', 'permission_denied', lost, { status, upstream, cause: error });
  }
}

/** Fails when the login itself has ended; a look that says nothing takes nothing from what is known already. */
async function assertLogin(call: AccountCall): Promise<void> {
  try {
    await asUser(call, { method: 'GET', path: '/me', query: { fields: 'id' } }, Made);
  } catch (error) {
    if (!(error instanceof PlatformError) || error.reason === 'auth') throw error;
  }
}

/** Reads a list to its end, as far as `most` items. */
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

/** Sends bytes of a video to the upload host, from an offset on. */
export async function sendBytes(
  call: AccountCall,
  page: string | undefined,
  { video, bytes, offset }: Readonly<{ video: string; bytes: Uint8Array; offset: number }>,
): Promise<void> {
  const answer = await send(call, {
    method: 'POST',
    url: `${call.hosts['rupload']!}/video-upload/${VERSION}/${segment(video)}`,
    headers: {
      // This host alone wants the token under another name.
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

/** Sends a request; a failure without an answer is `not_sent` only when provably nothing left. */
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

/** Callers name ids, too: what could lead out of its place in the path is an id that nobody has. */
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

/** The parts one after the other; nobody who made the file can know the boundary. */
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
