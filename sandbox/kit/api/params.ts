import type { Context } from 'koa';
import { parseJson, readBody } from '../../body.ts';
import type { TwinError } from './errors.ts';

type UploadedFile = Readonly<{ bytes: Buffer; name: string; mime: string }>;

export type Wrong =
  | 'missing'
  | 'not a boolean'
  | 'not an integer'
  | 'not a time'
  | 'not JSON'
  | 'not an object'
  | 'not an array'
  | 'not one of';

/** The network's errors for calls that cannot be read. */
export type ParamWords = Readonly<{
  wrong(name: string, what: Wrong, detail?: Readonly<{ value: string; words: readonly string[] }>): TwinError;
  tooLong(): TwinError;
  broken(kind: 'form' | 'json'): TwinError;
}>;

/** The same errors for networks with only one kind of error. */
export const plainWords = (refuse: (message: string) => TwinError) => ({
  invalid: refuse,
  wrong: (name: string, what: Wrong) => refuse(`${name} is ${what}`),
  tooLong: () => refuse('That is too long.'),
  broken: (kind: 'form' | 'json') => refuse(`This is no ${kind}.`),
});

/** A call's parameters, read alike from the query, a form or JSON. */
export type Params = Readonly<{
  names: readonly string[];
  /** Only the query string's parameters, for the link to the next page. */
  query: Readonly<Record<string, string>>;
  values: Readonly<Record<string, unknown>>;
  files: ReadonlyMap<string, UploadedFile>;
  text(name: string): string | undefined;
  required(name: string): string;
  flag(name: string): boolean | undefined;
  whole(name: string): number | undefined;
  /** One of the given words in any case; other values are refused. */
  oneOf<T extends string>(name: string, words: readonly T[]): T | undefined;
  /** A JSON object; a form sends it as text. */
  object(name: string): Readonly<Record<string, unknown>> | undefined;
  /** A list; forms may also send it as `name[0]=…`. */
  list(name: string): readonly unknown[] | undefined;
  /** A time in ms, read from unix seconds or a date. */
  time(name: string): number | undefined;
}>;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Matches the header of a form part that holds a file without a file name. */
const NAMELESS =
  /((?:^|\r\n)--[^\r\n]+\r\ncontent-disposition: form-data; name="[^"\r\n]*")(?=\r\ncontent-type: application\/octet-stream\r\n)/gi;

/** Gives every file part a file name, because parts without one would be read as text. */
function withNames(form: Buffer): Buffer {
  const text = form.toString('latin1');
  const named = text.replaceAll(NAMELESS, '$1; filename="file"');
  return named === text ? form : Buffer.from(named, 'latin1');
}

async function readForm(ctx: Context, bytes: Buffer, words: ParamWords): Promise<FormData> {
  const headers = { 'content-type': ctx.get('content-type') };
  try {
    // oxlint-disable-next-line typescript/no-deprecated -- the body is bounded and in memory already
    return await new Response(new Uint8Array(withNames(bytes)), { headers }).formData();
  } catch {
    throw words.broken('form');
  }
}

export const readQuery = (ctx: Context, words: ParamWords): Params => {
  const query = Object.fromEntries(ctx.URL.searchParams);
  return makeParams(query, { ...query }, new Map(), words);
};

/** Reads the query and the body (form, multipart or JSON) of at most `mostBytes`. */
export async function readParams(ctx: Context, mostBytes: number, words: ParamWords): Promise<Params> {
  const query = Object.fromEntries(ctx.URL.searchParams);
  const values: Record<string, unknown> = { ...query };
  const files = new Map<string, UploadedFile>();
  if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
    const bytes = await readBody(ctx, mostBytes);
    if (bytes === undefined) throw words.tooLong();
    if (bytes.length === 0) return makeParams(query, values, files, words);
    if (ctx.is('multipart/form-data')) {
      for (const [name, value] of await readForm(ctx, bytes, words)) {
        if (typeof value === 'string') values[name] = value;
        else files.set(name, { bytes: Buffer.from(await value.arrayBuffer()), name: value.name, mime: value.type });
      }
    } else if (ctx.is('json')) {
      const body = parseJson(bytes);
      if (!isRecord(body)) throw words.broken('json');
      Object.assign(values, body);
    } else Object.assign(values, Object.fromEntries(new URLSearchParams(bytes.toString('utf8'))));
  }
  return makeParams(query, values, files, words);
}

function makeParams(
  query: Record<string, string>,
  values: Record<string, unknown>,
  files: ReadonlyMap<string, UploadedFile>,
  words: ParamWords,
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
    if (parsed === undefined) throw words.wrong(name, 'not JSON');
    return parsed;
  }

  return Object.freeze({
    names: [...new Set([...Object.keys(values), ...files.keys()].map((name) => name.replace(/\[\d*\]$/, '')))],
    query,
    values,
    files,
    text,
    required(name: string) {
      const value = text(name);
      if (value === undefined || value === '') throw words.wrong(name, 'missing');
      return value;
    },
    flag(name: string) {
      const value = text(name);
      if (value === undefined) return undefined;
      if (value === 'true' || value === '1') return true;
      if (value === 'false' || value === '0' || value === '') return false;
      throw words.wrong(name, 'not a boolean');
    },
    whole(name: string) {
      const value = text(name);
      if (value === undefined) return undefined;
      if (!/^\d{1,15}$/.test(value)) throw words.wrong(name, 'not an integer');
      return Number(value);
    },
    oneOf<T extends string>(name: string, list: readonly T[]) {
      const value = text(name);
      if (value === undefined) return undefined;
      const found = list.find((word) => word.toLowerCase() === value.toLowerCase());
      if (found === undefined) throw words.wrong(name, 'not one of', { value: value.slice(0, 80), words: list });
      return found;
    },
    object(name: string) {
      const value = json(name);
      if (value === undefined) return undefined;
      if (!isRecord(value)) throw words.wrong(name, 'not an object');
      return value;
    },
    list(name: string) {
      const spread = Object.keys(values)
        .filter((key) => key.startsWith(`${name}[`))
        .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
      if (spread.length > 0) return spread.map(json);
      const value = json(name);
      if (value === undefined) return undefined;
      if (!Array.isArray(value)) throw words.wrong(name, 'not an array');
      return value as unknown[];
    },
    time(name: string) {
      const value = text(name);
      if (value === undefined) return undefined;
      const ms = /^\d{1,12}$/.test(value) ? Number(value) * 1000 : Date.parse(value);
      if (!Number.isFinite(ms)) throw words.wrong(name, 'not a time');
      return ms;
    },
  });
}

export function givenOf({ values }: Params, names: readonly string[]): Readonly<Record<string, unknown>> | undefined {
  const given = names.filter((name) => values[name] !== undefined && values[name] !== '');
  return given.length === 0 ? undefined : Object.fromEntries(given.map((name) => [name, values[name]]));
}
