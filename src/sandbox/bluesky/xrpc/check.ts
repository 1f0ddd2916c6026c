/** Small checkers for lexicon shapes; each answers with the first thing wrong, in the words a real server uses. */

/** Says what is wrong with a value that stands at `path`; nothing when it is fine. */
export type Check = (value: unknown, path: string) => string | undefined;

type Shape = Readonly<Record<string, Check>>;

const shown = (value: unknown): string => {
  if (typeof value === 'string') return JSON.stringify(value.length < 256 ? value : `${value.slice(0, 255)}…`);
  if (Array.isArray(value)) return value.length === 0 ? '[]' : '[...]';
  return typeof value === 'object' && value !== null ? '{...}' : String(value);
};
const expected = (kind: string, value: unknown, path: string) =>
  `Expected ${kind} value type (got ${shown(value)}) at ${path}`;
const tooBig = (kind: string, most: number, got: number, path: string) =>
  `${kind} too big (maximum ${most}, got ${got}) at ${path}`;
const tooSmall = (kind: string, least: number, got: number, path: string) =>
  `${kind} too small (minimum ${least}, got ${got}) at ${path}`;

/** Whether a JSON value is an object and neither null nor a list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value that should be text, as text; strangers may have stored anything. */
export const asText = (value: unknown): string => (typeof value === 'string' ? value : '');

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The number of characters as a reader counts them. */
export function graphemes(text: string): number {
  let count = 0;
  for (const _ of segmenter.segment(text)) count += 1;
  return count;
}

const HANDLE = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/i;
const DID = /^did:[a-z]+:[\w.:%-]{0,2000}[\w.-]$/;
const NSID = /^(?=.{1,317}$)[a-z]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+\.[a-z][a-z0-9]*$/i;
const RECORD_KEY = /^(?!\.{1,2}$)[\w.:~-]{1,512}$/;
const INSTANT = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,20})?(Z|(?!-00:00)[+-]\d\d:\d\d)$/;

const FORMATS = Object.freeze({
  'at-identifier': (text: string) => HANDLE.test(text) || DID.test(text),
  'at-uri': (text: string) => {
    const [scheme, gap, who, collection, rkey, ...more] = text.split('/');
    return (
      scheme === 'at:' &&
      gap === '' &&
      more.length === 0 &&
      FORMATS['at-identifier'](who ?? '') &&
      (collection === undefined || NSID.test(collection)) &&
      (rkey === undefined || RECORD_KEY.test(rkey))
    );
  },
  cid: (text: string) => /^[a-z0-9+=]{8,256}$/i.test(text),
  datetime: (text: string) => INSTANT.test(text) && !Number.isNaN(Date.parse(text)),
  did: (text: string) => DID.test(text),
  handle: (text: string) => HANDLE.test(text),
  language: (text: string) => /^(i|[a-z]{2,3})(-[a-z0-9]{1,8})*$/i.test(text),
  nsid: (text: string) => NSID.test(text),
  'record-key': (text: string) => RECORD_KEY.test(text),
  tid: (text: string) => /^[2-7a-j][2-7a-z]{12}$/.test(text),
  uri: (text: string) => /^[a-z][a-z0-9.+-]{0,80}:\S{1,8000}$/i.test(text),
});
export type Format = keyof typeof FORMATS;

/** Whether a text has one of the protocol's own forms. */
export const has = (format: Format, text: string): boolean => FORMATS[format](text);

/** A string; `bytes` is counted in UTF-8, `graphemes` as readers count. */
export function text(rule: { bytes?: number; graphemes?: number; format?: Format } = {}): Check {
  return (value, path) => {
    if (typeof value !== 'string') return expected('string', value, path);
    const size = Buffer.byteLength(value);
    if (rule.bytes !== undefined && size > rule.bytes) return tooBig('string', rule.bytes, size, path);
    if (rule.graphemes !== undefined) {
      const count = graphemes(value);
      if (count > rule.graphemes) return tooBig('grapheme', rule.graphemes, count, path);
    }
    if (rule.format !== undefined && !has(rule.format, value))
      return `Invalid ${rule.format} (got ${shown(value)}) at ${path}`;
    return undefined;
  };
}

/** A whole number. */
export function integer(rule: { min?: number; max?: number } = {}): Check {
  return (value, path) => {
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) return expected('integer', value, path);
    if (rule.min !== undefined && value < rule.min) return tooSmall('integer', rule.min, value, path);
    if (rule.max !== undefined && value > rule.max) return tooBig('integer', rule.max, value, path);
    return undefined;
  };
}

/** True or false. */
export const flag: Check = (value, path) => (typeof value === 'boolean' ? undefined : expected('boolean', value, path));

/** Any object at all. */
export const anyObject: Check = (value, path) => (isObject(value) ? undefined : expected('object', value, path));

/** Null or what the other checker takes. */
export const nullable =
  (check: Check): Check =>
  (value, path) =>
    value === null ? undefined : check(value, path);

/** A list of at most `most`. */
export function list(item: Check, most = Infinity): Check {
  return (value, path) => {
    if (!Array.isArray(value)) return expected('array', value, path);
    if (value.length > most) return tooBig('array', most, value.length, path);
    for (const [at, entry] of value.entries()) {
      const wrong = item(entry, `${path}[${at}]`);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  };
}

/** An object with these keys; keys nobody declared are let through, as lexicons are open. */
export function object(needed: Shape, optional: Shape = {}): Check {
  return (value, path) => {
    if (!isObject(value)) return expected('object', value, path);
    for (const [key, check] of Object.entries(needed)) {
      if (!Object.hasOwn(value, key)) return `Missing required key "${key}" at ${path}`;
      const wrong = check(value[key], `${path}.${key}`);
      if (wrong !== undefined) return wrong;
    }
    for (const [key, check] of Object.entries(optional)) {
      const wrong = Object.hasOwn(value, key) ? check(value[key], `${path}.${key}`) : undefined;
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  };
}

/** One of several objects, distinguished by `$type`; an open union: unknown types pass. */
export function union(variants: Shape): Check {
  return (value, path) => {
    if (!isObject(value) || typeof value['$type'] !== 'string')
      return `Expected an object which includes the "$type" property value type (got ${shown(value)}) at ${path}`;
    const variant = Object.hasOwn(variants, value['$type']) ? variants[value['$type']] : undefined;
    return variant?.(value, path);
  };
}

/** A reference to uploaded bytes. */
export function blob(rule: { accept: readonly string[]; bytes: number }): Check {
  const fits = (mime: string) =>
    rule.accept.some((kind) => (kind.endsWith('/*') ? mime.startsWith(kind.slice(0, -1)) : kind === mime));
  return (value, path) => {
    if (!isObject(value) || value['$type'] !== 'blob') return expected('blob', value, path);
    const wrong = object({
      ref: object({ $link: text({ format: 'cid' }) }),
      mimeType: text({ bytes: 255 }),
      size: integer({ min: 0 }),
    })(value, path);
    if (wrong !== undefined) return wrong;
    const mime = String(value['mimeType']);
    if (!fits(mime)) return `Expected ${rule.accept.map(shown).join(' or ')} (got ${shown(mime)}) at ${path}.mimeType`;
    return Number(value['size']) > rule.bytes ? tooBig('blob', rule.bytes, Number(value['size']), path) : undefined;
  };
}
