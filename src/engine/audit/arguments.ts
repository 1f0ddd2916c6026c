import { scrub } from '#kernel/log.ts';
import { cut } from '#kernel/text/length.ts';

const LONGEST_TEXT = 200;
/** Ids up to this length are kept whole; no platform has longer ones. */
const LONGEST_ID = 512;
/** How many characters of all arguments of a call are kept, and how many values of a list or record. */
const MOST_CHARACTERS = 8000;
const MOST_ITEMS = 50;
const DEEPEST = 8;

const MASKED = '[cut]';
/** Replaces the values of a list or record beyond that limit. */
const MORE = '…';
const SECRET =
  /secret|password|passphrase|token|credential|cookie|signature|verifier|authori[sz]ation$|key$|(?:^|_)(?:code|pin|state|otp)$/i;
const NAMES_THING = /(?:^|_)ids?$/;
/** Matches words that look like keys or tokens, whatever the field; ids of this server are exempt. */
const TOKEN = /^(?=\D*\d)(?=[^a-z]*[a-z])[\w+/=-]{24,}$/i;
const OWN_ID = /^[a-z]{2,5}_[0-9a-z]{26}$/;

/** A short form of a call's arguments: texts are cut, secrets are masked by name or form, and ids stay whole. */
export function inShort(input: unknown): Readonly<Record<string, unknown>> {
  let left = MOST_CHARACTERS;

  function shorten(value: unknown, name: string, depth: number): unknown {
    if (isNested(value) && !SECRET.test(name) && depth < DEEPEST) {
      left -= 1;
      return Array.isArray(value) ? list(value, name, depth + 1) : record(value, depth + 1);
    }
    const short = inOneWord(value, name);
    left -= Math.max(1, String(short).length);
    return short;
  }

  function list(values: readonly unknown[], name: string, depth: number): readonly unknown[] {
    const items: unknown[] = [];
    for (const value of values.slice(0, MOST_ITEMS)) {
      if (left <= 0) break;
      items.push(shorten(value, name, depth));
    }
    return items.length < values.length ? [...items, MORE] : items;
  }

  function record(value: object, depth: number): Readonly<Record<string, unknown>> {
    const members: [string, unknown][] = [];
    const entries = Object.entries(value) as [string, unknown][];
    for (const [name, inner] of entries.slice(0, MOST_ITEMS)) {
      if (left <= 0) break;
      const shown = cut(scrub(name), LONGEST_TEXT);
      left -= shown.length;
      members.push([shown, shorten(inner, name, depth)]);
    }
    return Object.fromEntries(members.length < entries.length ? [...members, [MORE, MORE]] : members);
  }

  return typeof input === 'object' && input !== null ? record(input, 0) : {};
}

const isNested = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(Symbol.asyncIterator in value);

/** The short form of a value whose members are not listed. */
function inOneWord(value: unknown, name: string): unknown {
  if (value === null || value === undefined) return null;
  if (SECRET.test(name)) return MASKED;
  if (typeof value === 'object') return isNested(value) ? MORE : '[file]';
  if (typeof value !== 'string') return value;
  if (NAMES_THING.test(name)) return cut(value, LONGEST_ID, '…');
  return TOKEN.test(value) && !OWN_ID.test(value) ? MASKED : cut(scrub(withoutQuery(value)), LONGEST_TEXT, '…');
}

/** A URL without its query, which may contain a signature or token. */
function withoutQuery(text: string): string {
  if (!/^https?:\/\/\S+$/i.test(text)) return text;
  const url = URL.parse(text);
  if (url === null || (url.search === '' && url.username === '' && url.password === '' && url.hash === '')) return text;
  return `${url.origin}${url.pathname}${url.search === '' ? '' : '?…'}`;
}
