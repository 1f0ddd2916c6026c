/** Letters of scripts that are written without spaces, so that a word can begin at each. */
const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;
const WORDS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]|[\p{L}\p{N}\p{M}]+|\p{Extended_Pictographic}/gu;
/** Longer words are cut, so that an index can hold them. */
const LONGEST = 48;
/** How many words of a text are read. */
const MOST = 2_000;

type Token = Readonly<{ word: string; from: number; to: number }>;

/** A word as it is compared: without case, accents and forms of width. */
const fold = (word: string): string =>
  word.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().normalize('NFKC').slice(0, LONGEST);

/** The words of a text with their places; letters written without spaces stand alone. */
export function placesOf(text: string): readonly Token[] {
  const places: Token[] = [];
  for (const { 0: found, index } of text.matchAll(WORDS)) {
    // What a form of width comes apart into is no word of its own.
    const word = fold(found).replaceAll(/[^\p{L}\p{N}\p{Extended_Pictographic}]/gu, '');
    if (word !== '') places.push({ word, from: index, to: index + found.length });
    if (places.length === MOST) break;
  }
  return places;
}

/** The words by which a text is found; letters written without spaces also in pairs. */
export function wordsOf(text: string): readonly string[] {
  const places = placesOf(text);
  const words = new Set(places.map(({ word }) => word));
  for (const pair of pairsOf(places)) words.add(pair);
  return [...words];
}

/** What is looked for: whole words, and the beginning of the last one while it may still be written. */
export type Wanted = Readonly<{ words: readonly string[]; beginning?: string | undefined }>;

/** What somebody means who writes this into a field for a search; undefined if nothing in it can be found. */
export function wantedOf(query: string): Wanted | undefined {
  const places = placesOf(query);
  const last = places.at(-1);
  if (last === undefined) return undefined;
  const isOpen = !DENSE.test(last.word) && last.word.length > 1 && last.to === query.length;
  const pairs = pairsOf(places);
  const paired = new Set(pairs.flatMap((pair) => Array.from(pair)));
  const whole = (isOpen ? places.slice(0, -1) : places).map(({ word }) => word).filter((word) => !paired.has(word));
  return { words: [...new Set([...whole, ...pairs])], ...(isOpen && { beginning: last.word }) };
}

/** Neighbours of a script that is written without spaces. */
const pairsOf = (places: readonly Token[]): readonly string[] =>
  places.slice(1).flatMap(({ word, from }, before) => {
    const { word: left, to } = places[before]!;
    return to === from && DENSE.test(left) && DENSE.test(word) ? [left + word] : [];
  });

/** A piece of a text, and where in it are the words that were looked for. */
export type Snippet = Readonly<{ text: string; marks: readonly (readonly [from: number, to: number])[] }>;

const ELLIPSIS = '…';

/** The piece of a text around the first of the words that were looked for. */
export function snippetOf(text: string, { words, beginning }: Wanted, most: number): Snippet {
  const wanted = new Set(words.flatMap((word) => (DENSE.test(word) ? Array.from(word) : [word])));
  const hits = placesOf(text).filter(
    ({ word }) => wanted.has(word) || (beginning !== undefined && word.startsWith(beginning)),
  );
  const from = text.length <= most ? 0 : beginningNear(text, (hits[0]?.from ?? 0) - Math.floor(most / 4));
  const piece = endedWell(text.slice(from, from + most));
  const [before, after] = [from > 0 ? ELLIPSIS : '', from + piece.length < text.length ? ELLIPSIS : ''];
  const marks = hits
    .filter((hit) => hit.from >= from && hit.to <= from + piece.length)
    .map((hit) => [hit.from - from + before.length, hit.to - from + before.length] as const);
  return { text: before + piece + after, marks };
}

/** The beginning of a word at or after a place, unless that is far. */
function beginningNear(text: string, at: number): number {
  if (at <= 0) return 0;
  const space = text.slice(at, at + 20).search(/\s/);
  const from = space < 0 ? at : at + space + 1;
  return /[\uDC00-\uDFFF]/.test(text[from] ?? '') ? from + 1 : from;
}

/** Without half of a character at its end. */
const endedWell = (text: string): string => text.replace(/[\uD800-\uDBFF]$/, '');
