import tlds from 'tlds' with { type: 'json' };
import { splitEmoji } from './emoji.ts';

/** The length as X counts it (rules v3): a link 23, an emoji 2, most letters 1, everything else 2. */
export function weightedLength(text: string): number {
  const normal = text.normalize('NFC');
  let length = 0;
  let at = 0;
  for (const { start, end } of weightedLinks(normal)) {
    length += weightOf(normal.slice(at, start)) + LINK;
    at = end;
  }
  return length + weightOf(normal.slice(at));
}

const LINK = 23;
const HEAVY = 2;

const LIGHT: readonly (readonly [first: number, last: number])[] = [
  [0, 4351],
  [8192, 8205],
  [8208, 8223],
  [8242, 8247],
];

function weightOf(text: string): number {
  const { emoji, rest } = splitEmoji(text);
  let weight = emoji.length * HEAVY;
  for (const character of rest) {
    const code = character.codePointAt(0)!;
    weight += LIGHT.some(([first, last]) => code >= first && code <= last) ? 1 : HEAVY;
  }
  return weight;
}

const LATIN = String.raw`\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u024F\u0253-\u0272\u0289\u028B\u02BB\u0300-\u036F\u1E00-\u1EFF`;
const WORD = String.raw`a-z0-9\u0400-\u04FF${LATIN}`;
const IN_PATH = String.raw`${WORD}!*';:=+,.$/%#\[\]\u2013_~@|&()\-`;
const IN_QUERY = String.raw`a-z0-9!?*'@();:&=+$/%#\[\]_.,~|\-`;
/** A character of a domain name, neither punctuation nor space. */
const LETTER = String.raw`[^\s\p{P}\p{S}\p{C}]`;
const LABEL = String.raw`${LETTER}(?:${LETTER}|[_\-])*`;
const NAME = String.raw`${LABEL}(?:\.${LABEL})+`;
/** A word that is not a domain name is matched as a whole, so that it is not tried again from each letter. */
const NO_NAME = String.raw`${LETTER}(?:(?!https?://)${LETTER}|[_\-])*`;
const URL_LIKE = new RegExp(
  `(?<![a-z0-9@＠$#＃])(?:(https?://)?(${NAME})(?::[0-9]+)?(/[${IN_PATH}]*)?(\\?[${IN_QUERY}]*)?|${NO_NAME})`,
  'giu',
);
const SHORT_LINK = /^https?:\/\/t\.co\/[a-z0-9]+/i;
/** Characters before which a name without a protocol is not a link. */
const NO_START = /[-_./]$/;
const ASCII_NAME = new RegExp(`(?<![a-z0-9${LATIN}-])(?:[a-z0-9${LATIN}-]+\\.)+[a-z0-9-]+$`, 'iu');
const ENDINGS: ReadonlySet<string> = new Set(tlds);

type Span = Readonly<{ start: number; end: number }>;

/** The links in a text: those with a protocol, and names that end with a top-level domain. */
export function weightedLinks(text: string): readonly Span[] {
  if (!text.includes('.')) return [];
  return [...text.matchAll(URL_LIKE)].flatMap(
    ({ index, 0: whole, 1: protocol = '', 2: name = '', 3: path, 4: query }) => {
      const domain = domainOf(name, text.charAt(index + protocol.length + name.length));
      if (domain === undefined) return [];
      const start = index + protocol.length;
      const end = start + domain.length;
      // A short link ends after its code; without a protocol, a query cannot follow the name directly.
      const short = SHORT_LINK.exec(whole);
      if (short) return [{ start: index, end: index + short[0].length }];
      if (domain.length < name.length || (protocol === '' && path === undefined)) {
        return spanOf(text, index, protocol, domain, end);
      }
      const port = whole.slice(protocol.length + name.length).match(/^:[0-9]+/)?.[0] ?? '';
      const below = [port, endOfPath(path ?? ''), (query ?? '').replace(LOOSE_QUERY_END, '')];
      return spanOf(text, index, protocol, domain, end + below.join('').length);
    },
  );
}

/** The position of a link; without a protocol, only the Latin part of its domain counts. */
function spanOf(text: string, index: number, protocol: string, domain: string, end: number): readonly Span[] {
  if (protocol !== '') return [{ start: index, end }];
  const latin = ASCII_NAME.exec(domain);
  if (latin === null || NO_START.test(text.slice(Math.max(0, index - 1), index))) return [];
  return [{ start: index + latin.index, end }];
}

/** The longest beginning of a name that ends with a top-level domain; `next` is the character after the name. */
function domainOf(name: string, next: string): string | undefined {
  const labels = name.split('.');
  for (let count = labels.length; count > 1; count -= 1) {
    const [last, before] = [labels[count - 1]!, labels[count - 2]!];
    // Letters of another script after a top-level domain do not belong to it.
    const [ending = ''] = /^(?:xn--[-0-9a-z]+|[a-z0-9]+|[^\p{ASCII}]+)/iu.exec(last) ?? [];
    const follows = last.slice(ending.length) + (count === labels.length ? next : '.');
    if (isEnding(ending) && !before.includes('_') && !/^[a-z0-9@+-]/i.test(follows)) {
      return [...labels.slice(0, count - 1), ending].join('.');
    }
  }
  return undefined;
}

const isEnding = (label: string) => ENDINGS.has(label.toLowerCase()) || /^xn--./i.test(label);

/** A path without punctuation at its end, and with its parentheses in pairs. */
function endOfPath(path: string): string {
  let end = path.length;
  for (let open = 0, at = 0; at < end; at += 1) {
    if (path[at] === '(') open += 1;
    if (path[at] === ')' && (open -= 1) < 0) end = at;
  }
  const ended = path.slice(0, end);
  const lone = ended.split('(').length > ended.split(')').length ? ended.slice(0, ended.lastIndexOf('(')) : ended;
  return lone.replace(LOOSE_END, '');
}

/** Matches only from the first loose character, so that those in the middle are not scanned repeatedly. */
const LOOSE_QUERY_END = /(?<![^a-z0-9\-_&=#/])[^a-z0-9\-_&=#/]+$/i;
const LOOSE_END = new RegExp(`(?<![^+${WORD}=_#/)\\-])[^+${WORD}=_#/)\\-]+$`, 'iu');
