import { scrub } from '#kernel/log.ts';
import { cut } from '#kernel/text/length.ts';

/** How much of a text is kept. */
const TEXT = 200;
/** Ids are kept whole; no platform has longer ones. */
const ID = 512;
/** How much is kept of all arguments of a call, in characters, and how many values of a list or record. */
const ALL = 8000;
const ITEMS = 50;
const DEPTH = 8;

const MASK = '[cut]';
const SECRET =
  /secret|password|passphrase|token|credential|cookie|signature|verifier|authori[sz]ation$|key$|(?:^|_)(?:code|pin|state|otp)$/i;
const NAMES_THING = /(?:^|_)ids?$/;
/** A word as keys and tokens are, in whatever field it was sent; ids of this server are not. */
const TOKEN = /^(?=\D*\d)(?=[^a-z]*[a-z])[\w+/=-]{24,}$/i;
const OWN_ID = /^[a-z]{2,5}_[0-9a-z]{26}$/;

/** What a call was made with, in short: texts are cut, what is secret by its name or its form is masked, ids are whole. */
export function inShort(input: unknown): Readonly<Record<string, unknown>> {
  let left = ALL;

  function shorten(value: unknown, name: string, depth: number): unknown {
    if (value === null || value === undefined) return value ?? null;
    if (SECRET.test(name)) return MASK;
    if (typeof value === 'string') {
      if (!NAMES_THING.test(name) && TOKEN.test(value) && !OWN_ID.test(value)) return MASK;
      const text = NAMES_THING.test(name) ? cut(value, ID, '…') : cut(scrub(withoutQuery(value)), TEXT, '…');
      left -= text.length;
      return text;
    }
    if (typeof value !== 'object') return value;
    if (Symbol.asyncIterator in value) return '[file]';
    if (depth === DEPTH || left <= 0) return '…';
    if (Array.isArray(value)) return value.slice(0, ITEMS).map((item: unknown) => shorten(item, name, depth + 1));
    return record(value, depth + 1);
  }

  function record(value: object, depth: number): Readonly<Record<string, unknown>> {
    const members: [string, unknown][] = [];
    for (const [name, inner] of Object.entries(value).slice(0, ITEMS) as [string, unknown][]) {
      if (left <= 0) break;
      const shown = cut(scrub(name), TEXT);
      left -= shown.length;
      members.push([shown, shorten(inner, name, depth)]);
    }
    return Object.fromEntries(members);
  }

  return typeof input === 'object' && input !== null ? record(input, 0) : {};
}

/** An address without what signs or authorizes it. */
function withoutQuery(text: string): string {
  if (!/^https?:\/\/\S+$/i.test(text)) return text;
  const url = URL.parse(text);
  if (url === null || (url.search === '' && url.username === '' && url.password === '' && url.hash === '')) return text;
  return `${url.origin}${url.pathname}${url.search === '' ? '' : '?…'}`;
}
