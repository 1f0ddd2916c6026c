/** The protocol's text formats and its two kinds of objects, with the messages of a real server. */
import { expected, integer, isObject, object, viewOf, text as plain, tooBig, type Check } from '../kit/api/checks.ts';

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

export const has = (format: Format, text: string): boolean => FORMATS[format](text);

/** `bytes` limits the length in UTF-8, `graphemes` the number of visible characters. */
export const text = ({ format, ...rule }: { bytes?: number; graphemes?: number; format?: Format } = {}): Check =>
  plain({ ...rule, ...(format !== undefined && { format: { name: format, fits: FORMATS[format] } }) });

/** Checks one of several objects, chosen by `$type`. Unions are open, so unknown types pass. */
export function union(variants: Readonly<Record<string, Check>>): Check {
  return (value, path) => {
    if (!isObject(value) || typeof value['$type'] !== 'string')
      return `Expected an object which includes the "$type" property value type (got ${viewOf(value)}) at ${path}`;
    const variant = Object.hasOwn(variants, value['$type']) ? variants[value['$type']] : undefined;
    return variant?.(value, path);
  };
}

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
    if (!fits(mime))
      return `Expected ${rule.accept.map(viewOf).join(' or ')} (got ${viewOf(mime)}) at ${path}.mimeType`;
    return Number(value['size']) > rule.bytes ? tooBig('blob', rule.bytes, Number(value['size']), path) : undefined;
  };
}

export const uriOf = (did: string, collection: string, rkey: string): string => `at://${did}/${collection}/${rkey}`;
