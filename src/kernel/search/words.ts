/** Letters of scripts without spaces between words, where a word can begin at any letter. */
const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;
const WORDS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]|[\p{L}\p{N}\p{M}]+|\p{Extended_Pictographic}/gu;
/** Longer words are truncated, so that an index can store them. */
const LONGEST = 48;
/** How many words of a text are indexed. */
const MOST = 2_000;

type Token = Readonly<{ word: string; from: number; to: number }>;

/** The form of a word for comparisons, without case, accents and width variants. */
const fold = (word: string): string =>
  word.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().normalize('NFKC').slice(0, LONGEST);

/** The words of a text with their positions; each letter of a script without spaces counts as a word. */
export function placesOf(text: string): readonly Token[] {
  const places: Token[] = [];
  for (const { 0: found, index } of text.matchAll(WORDS)) {
    // Characters that a width variant is split into are not words of their own.
    const word = fold(found).replaceAll(/[^\p{L}\p{N}\p{Extended_Pictographic}]/gu, '');
    if (word !== '') places.push({ word, from: index, to: index + found.length });
    if (places.length === MOST) break;
  }
  return places;
}

/** The words by which a text can be found; for scripts without spaces these include pairs of letters. */
export function wordsOf(text: string): readonly string[] {
  const places = placesOf(text);
  const words = new Set(places.map(({ word }) => word));
  for (const pair of pairsOf(places)) words.add(pair);
  return [...words];
}

/** The words of a search, and the beginning of the last one, which may not be complete yet. */
export type Wanted = Readonly<{ words: readonly string[]; beginning?: string | undefined }>;

/** Parses the text of a search field; undefined if it contains nothing that can be found. */
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

/** Pairs of adjacent letters in scripts without spaces. */
const pairsOf = (places: readonly Token[]): readonly string[] =>
  places.slice(1).flatMap(({ word, from }, before) => {
    const { word: left, to } = places[before]!;
    return to === from && DENSE.test(left) && DENSE.test(word) ? [left + word] : [];
  });

/** An excerpt of a text, with the positions of the words found in it. */
export type Snippet = Readonly<{ text: string; marks: readonly (readonly [from: number, to: number])[] }>;

const ELLIPSIS = '…';

/** The excerpt of a text around the first of the words found. */
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

/** The start of the next word at or after a position, if it is near; otherwise the position itself. */
function beginningNear(text: string, at: number): number {
  if (at <= 0) return 0;
  const space = text.slice(at, at + 20).search(/\s/);
  const from = space < 0 ? at : at + space + 1;
  return /[\uDC00-\uDFFF]/.test(text[from] ?? '') ? from + 1 : from;
}

/** Removes half a surrogate pair from the end. */
const endedWell = (text: string): string => text.replace(/[\uD800-\uDBFF]$/, '');
