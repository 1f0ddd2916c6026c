import type { Context } from 'koa';
import { parseJson, readBody } from '../body.ts';
import { badParam, GraphError } from './errors.ts';

export type UploadedFile = Readonly<{ bytes: Buffer; name: string; mime: string }>;

/** The parameters of a call, wherever they came from; JSON and form values read alike. */
export type Params = Readonly<{
  names: readonly string[];
  /** The query alone, as the next page repeats it. */
  query: Readonly<Record<string, string>>;
  files: ReadonlyMap<string, UploadedFile>;
  text(name: string): string | undefined;
  required(name: string): string;
  flag(name: string): boolean | undefined;
  whole(name: string): number | undefined;
  /** One of a list of words, in any case; anything else is error 100. */
  oneOf<T extends string>(name: string, words: readonly T[]): T | undefined;
  /** A JSON object; forms carry it as text. */
  object(name: string): Readonly<Record<string, unknown>> | undefined;
  /** A list, also in the `name[0]=…` spelling of forms. */
  list(name: string): readonly unknown[] | undefined;
  /** An instant in ms, out of unix seconds or a date. */
  time(name: string): number | undefined;
}>;

const LARGEST = 64 * 1024 * 1024;
/** Whose token is in the body is a stranger until it is read. */
const LARGEST_OF_STRANGERS = 16 * 1024;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

async function readForm(ctx: Context, bytes: Buffer): Promise<FormData> {
  const headers = { 'content-type': ctx.get('content-type') };
  try {
    // oxlint-disable-next-line typescript/no-deprecated -- the body is bounded and in memory already
    return await new Response(new Uint8Array(bytes), { headers }).formData();
  } catch {
    throw new GraphError(1, 'An unknown error occurred', { status: 400 });
  }
}

/** Reads query string and body: form, multipart or JSON, as Graph takes them all. Strangers send little. */
export async function readParams(ctx: Context, isKnown: boolean): Promise<Params> {
  const query = Object.fromEntries(ctx.URL.searchParams);
  const values: Record<string, unknown> = { ...query };
  const files = new Map<string, UploadedFile>();
  if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
    const bytes = await readBody(ctx, isKnown ? LARGEST : LARGEST_OF_STRANGERS);
    if (bytes === undefined) throw new GraphError(1, 'The request body is too large', { status: 413 });
    if (bytes.length === 0) return params(query, values, files);
    if (ctx.is('multipart/form-data')) {
      for (const [name, value] of await readForm(ctx, bytes)) {
        if (typeof value === 'string') values[name] = value;
        else files.set(name, { bytes: Buffer.from(await value.arrayBuffer()), name: value.name, mime: value.type });
      }
    } else if (ctx.is('json')) {
      const body = parseJson(bytes);
      if (!isRecord(body)) throw badParam('The request body is not a JSON object');
      Object.assign(values, body);
    } else Object.assign(values, Object.fromEntries(new URLSearchParams(bytes.toString('utf8'))));
  }
  return params(query, values, files);
}

function params(
  query: Record<string, string>,
  values: Record<string, unknown>,
  files: ReadonlyMap<string, UploadedFile>,
): Params {
  function text(name: string): string | undefined {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined || value === null) return undefined;
    return typeof value === 'string' ? value : JSON.stringify(value);
  }
  function json(name: string): unknown {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (typeof value !== 'string') return value ?? undefined;
    const parsed = parseJson(Buffer.from(value));
    if (parsed === undefined) throw badParam(`Param ${name} must be valid JSON`);
    return parsed;
  }

  return Object.freeze({
    names: [...new Set([...Object.keys(values), ...files.keys()].map((name) => name.replace(/\[\d*\]$/, '')))],
    query,
    files,
    text,
    required(name: string) {
      const value = text(name);
      if (value === undefined || value === '') throw badParam(`The parameter ${name} is required`);
      return value;
    },
    flag(name: string) {
      const value = text(name);
      if (value === undefined) return undefined;
      if (value === 'true' || value === '1') return true;
      if (value === 'false' || value === '0' || value === '') return false;
      throw badParam(`Param ${name} must be a boolean`);
    },
    whole(name: string) {
      const value = text(name);
      if (value === undefined) return undefined;
      if (!/^\d{1,15}$/.test(value)) throw badParam(`Param ${name} must be an integer`);
      return Number(value);
    },
    oneOf<T extends string>(name: string, words: readonly T[]) {
      const value = text(name);
      if (value === undefined) return undefined;
      const found = words.find((word) => word.toLowerCase() === value.toLowerCase());
      if (found === undefined)
        throw badParam(`Param ${name} must be one of {${words.join(', ')}} - got "${value.slice(0, 80)}"`);
      return found;
    },
    object(name: string) {
      const value = json(name);
      if (value === undefined) return undefined;
      if (!isRecord(value)) throw badParam(`Param ${name} must be a JSON object`);
      return value;
    },
    list(name: string) {
      const spread = Object.keys(values)
        .filter((key) => key.startsWith(`${name}[`))
        .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
      if (spread.length > 0) return spread.map(json);
      const value = json(name);
      if (value === undefined) return undefined;
      if (!Array.isArray(value)) throw badParam(`Param ${name} must be an array`);
      return value as unknown[];
    },
    time(name: string) {
      const value = text(name);
      if (value === undefined) return undefined;
      const ms = /^\d{1,12}$/.test(value) ? Number(value) * 1000 : Date.parse(value);
      if (!Number.isFinite(ms)) throw badParam(`Param ${name} must be a valid date or unix timestamp`);
      return ms;
    },
  });
}
