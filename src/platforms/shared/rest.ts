import { MINUTE } from '#kernel/clock.ts';
import type * as z from 'zod';
import { PLATFORM_REASONS } from '#kernel/errors.ts';
import { OutboundError } from '#kernel/net/outbound.ts';
import { BODY_LIMITS, parseBigJson, parseJson, type JsonLimits } from '#kernel/text/json.ts';
import type { PlatformAnswer, PlatformRequest, UnauthenticatedCall } from '../call.ts';
import { PlatformError } from '../errors.ts';
import { type ErrorTable, type Failed, refused } from './errors.ts';
import { type FilePart, multipart } from './upload.ts';

const DEADLINE_MS = 15_000;
export const UPLOAD_DEADLINE_MS = MINUTE;
const MOST_BYTES = 4 * 1024 * 1024;

type Value = string | number | boolean | undefined;
/** Parameters. Undefined ones are omitted; a list becomes one parameter per item. */
export type Fields = Readonly<Record<string, Value | readonly string[]>>;

/** A path whose placeholders are filled from `ids`; the log shows the placeholders. */
export type Path = Readonly<{ path: string; ids?: Readonly<Record<string, string>> }>;

/** One request to an API; at most one kind of body may be set. */
export type RestRequest = Path &
  Readonly<{
    method: PlatformRequest['method'];
    query?: Fields;
    form?: Fields;
    json?: unknown;
    /** Sent as a multipart form: the fields of `form` and this file, or these files. */
    file?: FilePart | readonly FilePart[];
    /** A body that is sent unchanged. */
    body?: Readonly<{ type: string; content: NonNullable<PlatformRequest['body']> }>;
    headers?: Readonly<Record<string, string>>;
    maxBytes?: number;
    deadlineMs?: number;
    cost?: PlatformRequest['cost'];
  }>;

/** A response with its parsed body; undefined if the body is empty or not JSON. */
export type Answer = Readonly<{ status: number; headers: PlatformAnswer['headers']; body: unknown }>;

type Options<Call, Request extends RestRequest> = Readonly<{
  base(call: Call, request: Request): string;
  /** Additional headers, such as the authorization. */
  headers?(call: Call, request: Request): Readonly<Record<string, string>> | undefined;
  /** The error in a response of any status: some platforms return 200 with an error in the body. */
  errorOf(answer: Answer, call: Call, request: Request): PlatformError | undefined;
  /** Whether the host comes from a user or a fetched document. */
  isGiven?(call: Call, request: Request): boolean;
  /** Parses integers above 2^53 as strings, because they would lose digits as numbers. */
  big?: true;
}>;

/** Reads errors with `failedOf`, which returns undefined for a success, and classifies them by a table. */
export const errorsBy =
  <F extends Failed>(table: ErrorTable<F>, failedOf: (answer: Answer, now: number) => F | undefined) =>
  (answer: Answer, { now }: Readonly<{ now(): number }>): PlatformError | undefined => {
    const failed = failedOf(answer, now());
    return failed && table.errorOf(failed);
  };

/** Builds a path from one-field objects: `` path`/${{ page }}/feed` `` is logged as `/{page}/feed`. */
export function path(texts: TemplateStringsArray, ...fields: readonly Readonly<Record<string, string>>[]): Path {
  const names = fields.map((field) => Object.keys(field)[0]!);
  return {
    path: texts.map((text, at) => (at < names.length ? `${text}{${names[at]!}}` : text)).join(''),
    ids: Object.assign({}, ...fields) as Record<string, string>,
  };
}

/** A client of one JSON API; its methods return the parsed response or throw PlatformError. */
export function makeRest<Call extends UnauthenticatedCall, Request extends RestRequest = RestRequest>(
  options: Options<Call, Request>,
) {
  async function answerTo(call: Call, request: Request, schema?: z.ZodType): Promise<Answer> {
    const sent = await send(call, requestOf(call, request));
    const { status, headers } = sent;
    const answer = { status, headers, body: jsonIn(sent.body, options.big) };
    const error = options.errorOf(answer, call, request);
    call.observe?.(sent, { body: answer.body, error, schema });
    if (error) throw isMute(answer, request) && error.kind === 'refused' ? unclear(status, `HTTP ${status}`) : error;
    if (status < 200 || status > 299) throw unclear(status, `HTTP ${status}`);
    return answer;
  }

  async function request<T extends z.ZodType>(call: Call, options: Request, schema: T): Promise<z.output<T>> {
    const { status, body } = await answerTo(call, options, schema);
    const parsed = schema.safeParse(body);
    if (!parsed.success) throw unclear(status, `unreadable answer ${status}`);
    return parsed.data;
  }

  function requestOf(call: Call, request: Request): PlatformRequest {
    const url = new URL(options.base(call, request) + filledPath(request));
    for (const [name, value] of entriesOf(request.query)) url.searchParams.append(name, value);
    const body = bodyOf(request);
    return {
      method: request.method,
      url: url.href,
      headers: {
        accept: 'application/json',
        ...options.headers?.(call, request),
        ...request.headers,
        ...(body && { 'content-type': body.type }),
      },
      ...(body && { body: body.content }),
      ...(request.cost && { cost: request.cost }),
      ...(options.isGiven && { given: options.isGiven(call, request) }),
      template: request.path,
      maxBytes: request.maxBytes ?? MOST_BYTES,
      deadlineMs: request.deadlineMs ?? ((request.file ?? request.body) ? UPLOAD_DEADLINE_MS : DEADLINE_MS),
    };
  }

  const verb = (method: RestRequest['method']) =>
    function callApi<T extends z.ZodType>(
      call: Call,
      where: Path,
      schema: T,
      more?: Partial<Request>,
    ): Promise<z.output<T>> {
      return request(call, { ...more, ...where, method } as Request, schema);
    };

  return Object.freeze({
    request,
    answerTo: (call: Call, request: Request) => answerTo(call, request),
    get: verb('GET'),
    post: verb('POST'),
    put: verb('PUT'),
    del: verb('DELETE'),
  });
}

/** Statuses that mean the same without a body: 401 login required, 413 and 431 too large, 429 throttled. */
const PLAIN: ReadonlySet<number> = new Set([401, 413, 429, 431]);

/** Whether the response to a change has no JSON: it may come from a gateway, so the outcome is unknown. */
const isMute = ({ status, body }: Answer, { method }: RestRequest): boolean =>
  body === undefined && method !== 'GET' && method !== 'DELETE' && !PLAIN.has(status);

/** Sends a request; a failure without a response is `not_sent` only if it is certain that nothing was sent. */
export async function send(call: UnauthenticatedCall, request: PlatformRequest): Promise<PlatformAnswer> {
  try {
    return await call.http(request);
  } catch (cause) {
    if (!(cause instanceof OutboundError)) throw cause;
    const { message: upstream } = cause;
    if (request.given && NO_SERVER.has(cause.kind)) {
      const message = 'The server that was named cannot be reached from here.';
      throw new PlatformError('refused', 'invalid_request', message, { upstream, cause });
    }
    const kind = cause.sent ? 'unknown' : 'not_sent';
    throw new PlatformError(kind, 'api_error', PLATFORM_REASONS.api_error[1], { upstream, cause });
  }
}

/** Errors that mean a wrong address rather than an unavailable server. */
const NO_SERVER: ReadonlySet<string> = new Set(['refused_address', 'bad_url', 'dns']);

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

/** The JSON of a body, or undefined if it is not JSON. */
export function jsonIn(body: Uint8Array, big?: true): unknown {
  const text = textIn(body);
  try {
    return big ? parseBigJson(text) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Parses a push as JSON within limits, as anybody can send one; undefined if it is invalid or beyond them. */
export function pushedJson(body: Uint8Array, big?: true, limits: JsonLimits = BODY_LIMITS): unknown {
  const text = textIn(body);
  try {
    return big ? parseBigJson(text, limits) : parseJson(text, limits);
  } catch {
    return undefined;
  }
}

const textIn = (body: Uint8Array): string =>
  Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');

function unclear(status: number, upstream: string): PlatformError {
  return new PlatformError('unknown', 'api_error', PLATFORM_REASONS.api_error[1], { status, upstream });
}

function filledPath({ path, ids }: Path): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => segmentOf(ids?.[name]));
}

/** Ids may come from callers; one that could leave its path segment is treated as not found. */
function segmentOf(id: string | undefined): string {
  if (id === undefined || !/^[\w.:~=+,()@$!*-]{1,300}$/.test(id) || /^\.+$/.test(id)) throw refused('not_found');
  // Some platforms treat parentheses as syntax.
  return encodeURIComponent(id).replaceAll('(', '%28').replaceAll(')', '%29');
}

function entriesOf(fields: Fields = {}): [name: string, value: string][] {
  return Object.entries(fields).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, String(one)]),
  );
}

function bodyOf({ form, json, file, body }: RestRequest): RestRequest['body'] {
  if (body) return body;
  if (json !== undefined) return { type: 'application/json', content: JSON.stringify(json) };
  if (file) return multipart(entriesOf(form), ...[file].flat());
  if (!form) return undefined;
  return {
    type: 'application/x-www-form-urlencoded',
    content: new URLSearchParams(entriesOf(form)).toString(),
  };
}
