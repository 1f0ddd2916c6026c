import type { z } from 'zod';
import { reachOf, type Caller } from '../call/caller.ts';
import { isAnswer, isStream, streaming, type Call } from '../call/context.ts';
import type { AnyTool, Meter } from '../call/tool.ts';
import { envelope } from '../kernel/envelope.ts';
import { ApiError, fail, StoreUnavailable } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import { refuseCaller } from './access.ts';
import { bare } from './http/fields.ts';
import { withOffsets } from './local-times.ts';
import { waitHeader } from './refusal-headers.ts';

export type Invocation = Readonly<{
  caller: Caller;
  requestId: string;
  timezone?: Call['timezone'];
  /** Ends when the client leaves. */
  gone: AbortSignal;
  progress: Call['progress'];
  /** What the request that this one repeats has recorded of its work, which is to be settled instead of done. */
  recorded?: object | undefined;
}>;

export type Outcome =
  | Readonly<{ ok: true; status: number; headers: Readonly<Record<string, string>>; body: object }>
  | Readonly<{ ok: false; status: number; headers: Readonly<Record<string, string>>; body: object; error: ApiError }>;

export type Invoke = (tool: AnyTool, input: unknown, invocation: Invocation) => Promise<Outcome>;

type Deps = Readonly<{
  /** What the operations may call; each tool's `run` names the rooms it needs. */
  rooms: object;
  log: Log;
  /** Headers a metered operation carries on a plan that has limits. */
  meterHeaders(caller: Caller, meter: Meter): Promise<Readonly<Record<string, string>>>;
  /** Development and tests check every answer against its schema. */
  checkOutput: boolean;
}>;

const NONE: Readonly<Record<string, string>> = Object.freeze({});
/** Errors of files, such as uploaded media, that a full disk has no room for. */
const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);
/** When to ask again while the store is unavailable or the disk is full. */
const STORE_RETRY_SECONDS = 5;
/** Of effects, which go on without their client. */
const { signal: endless } = new AbortController();

/** The one path of a call: past-due, access, parse, run, shape, headers. It is the only place that catches what an operation throws. */
export function makeInvoke({ rooms, log, meterHeaders, checkOutput }: Deps): Invoke {
  /** The work is done by now: that its headers cannot be told must not turn it into a failure. */
  const headersOf = (caller: Caller, meter: Meter) =>
    meterHeaders(caller, meter).catch((error: unknown) => {
      log.warn({ error }, 'usage not read for the headers');
      return NONE;
    });

  return async function invoke(tool, input, invocation) {
    const { caller, requestId } = invocation;
    let meter: Meter | undefined;
    try {
      refuseCaller(tool, caller);
      const { timezone } = invocation;
      const timed = timezone === undefined ? input : withOffsets(tool.input as z.ZodObject, input, timezone);
      const parsed = parseInput(tool, timed);
      meter = tool.meter;
      const signal = tool.effect === 'read' ? invocation.gone : endless;
      const call: Call = { ...invocation, signal, workspace: caller.workspace, reach: reachOf(caller) };
      const { recorded } = invocation;
      const result: unknown =
        recorded !== undefined && tool.resume !== undefined
          ? await tool.resume(recorded, parsed, call, rooms)
          : await tool.run(parsed, call, rooms);
      const raw = isAnswer(result) ? (result.body as object) : (result as object);
      const body = checkOutput ? checked(tool, raw) : raw;
      const headers = meter ? await headersOf(caller, meter) : NONE;
      if (!isAnswer(result)) return { ok: true, status: tool.http.status ?? 200, headers, body };
      return {
        ok: true,
        status: result.status ?? tool.http.status ?? 200,
        headers: result.headers ? { ...headers, ...result.headers } : headers,
        body,
      };
    } catch (thrown) {
      const error = shown(thrown, tool, requestId, log);
      const headers = { ...(meter && (await headersOf(caller, meter))), ...waitHeader(error) };
      return { ok: false, status: error.status, headers, body: envelope(error, requestId), error };
    }
  };
}

/** Holds an answer to its schema; one that goes on is held to it part by part. */
function checked({ output }: AnyTool, body: object): object {
  const check = (value: unknown) => void (output as z.ZodObject).parse(value);
  if (!isStream(body)) {
    check(body);
    return body;
  }
  const next = async () => {
    const parts = await body.next();
    for (const part of parts ?? []) if (part.event === undefined) check(part.data);
    return parts;
  };
  return streaming({ next, close: body.close });
}

/** Turns whatever was thrown into what may be shown; the cause of an unknown failure goes to the log alone. */
export function shown(thrown: unknown, tool: AnyTool | undefined, requestId: string, log: Log): ApiError {
  if (thrown instanceof ApiError && thrown.status > 0) {
    if (thrown.status >= 500 && thrown.cause !== undefined) {
      log.warn({ request_id: requestId, tool: tool?.name, code: thrown.code, error: thrown.cause }, 'upstream failed');
    }
    return thrown;
  }
  if (thrown instanceof StoreUnavailable) return new ApiError('http.503', { retryAfter: STORE_RETRY_SECONDS });
  if (FULL.has((thrown as NodeJS.ErrnoException | undefined)?.code ?? '')) {
    log.warn({ request_id: requestId, tool: tool?.name, error: thrown }, 'the disk is full');
    return new ApiError('http.503', { retryAfter: STORE_RETRY_SECONDS });
  }
  log.error({ request_id: requestId, tool: tool?.name, error: thrown }, 'unexpected failure');
  return new ApiError('system.internal');
}

/** Reads the input by the tool's schema; the first problem becomes the catalogued error that names its field. */
function parseInput(tool: AnyTool, input: unknown): unknown {
  const schema = tool.input as z.ZodObject;
  const result = parsed(schema, holdsNull(input) ? withoutNulls(schema, input) : input);
  if (result.success) {
    refuseUnstorable(result.data, '');
    return result.data;
  }
  const issue = result.error.issues[0]!;
  const field = issue.path.map(String).join('.');
  const given = valueAt(input, issue.path);
  const missing = given === undefined || given === null;
  const empty = issue.code === 'too_small' && issue.origin === 'string' && issue.minimum === 1;
  if ((missing || empty) && !mayBeLeftOut(schemaAt(schema, issue.path))) {
    fail('validation.field_required', { message: `${field || 'input'} is required.`, meta: { field } });
  }
  fail('validation.field_invalid', { message: `${field || 'input'}: ${issue.message}`, meta: { field } });
}

/** Zod measures whatever has a length, texts and lists or not, and throws where that is nothing to compare. */
function parsed(schema: z.ZodObject, input: unknown) {
  try {
    return schema.safeParse(input);
  } catch (cause) {
    const fields = input as Record<string, unknown>;
    const field = Object.keys(schema.shape).find((name) => throws(() => schema.shape[name]!.safeParse(fields[name])));
    if (field === undefined) throw cause;
    fail('validation.field_invalid', {
      message: `${field}: an object stands where a text or a list belongs.`,
      meta: { field },
    });
  }
}

function throws(work: () => unknown): boolean {
  try {
    work();
    return false;
  } catch {
    return true;
  }
}

type Schema = z.core.$ZodType;

const leavable = new WeakMap<Schema, boolean>();

/** Whether a field may be left out and has no null of its own. */
function mayBeLeftOut(field: Schema | undefined): boolean {
  if (field === undefined) return false;
  const known = leavable.get(field);
  if (known !== undefined) return known;
  const found = (field as z.ZodType).safeParse(undefined).success && !(field as z.ZodType).safeParse(null).success;
  leavable.set(field, found);
  return found;
}

function holdsNull(value: unknown): boolean {
  if (value === null) return true;
  if (Array.isArray(value)) return value.some(holdsNull);
  if (!isPlain(value)) return false;
  for (const name in value) if (holdsNull(value[name])) return true;
  return false;
}

/** Assistants in strict mode send null for every field they leave out; it means absent where it means nothing else. */
function withoutNulls(schema: Schema, value: unknown): unknown {
  const { def } = bare(schema)._zod;
  if (def.type === 'array' && Array.isArray(value)) {
    const { element } = def as z.core.$ZodArrayDef;
    return value.some(isPlain) ? value.map((item) => withoutNulls(element, item)) : value;
  }
  if (def.type !== 'object' || !isPlain(value)) return value;
  const { shape } = def as z.core.$ZodObjectDef;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      if (!Object.hasOwn(shape, name)) return [[name, inner]];
      const field = shape[name]!;
      return inner === null && mayBeLeftOut(field) ? [] : [[name, withoutNulls(field, inner)]];
    }),
  );
}

function schemaAt(schema: Schema, path: readonly PropertyKey[]): Schema | undefined {
  return path.reduce<Schema | undefined>((at, key) => {
    const def = at && bare(at)._zod.def;
    if (def?.type === 'array') return (def as z.core.$ZodArrayDef).element;
    return def?.type === 'object' ? (def as z.core.$ZodObjectDef).shape[String(key)] : undefined;
  }, schema);
}

/**
 * PostgreSQL stores no NUL in a text, and UTF-8 has nothing for half a character; nobody means to send either.
 * Depth is bounded by what the facades parse.
 */
function refuseUnstorable(value: unknown, field: string): void {
  if (typeof value === 'string') {
    const flaw = value.includes('\0') ? 'a NUL character' : value.isWellFormed() ? undefined : 'a lone surrogate';
    if (flaw === undefined) return;
    fail('validation.field_invalid', { message: `${field} must not contain ${flaw}.`, meta: { field } });
  } else if (Array.isArray(value)) {
    value.forEach((item, index) => refuseUnstorable(item, `${field}.${index}`));
  } else if (isPlain(value)) {
    for (const key of Object.keys(value)) refuseUnstorable(value[key], field === '' ? key : `${field}.${key}`);
  }
}

/** Streams of uploaded files are objects too, and are left alone. */
function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key], input);
}
