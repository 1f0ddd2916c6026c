/** Where a text may be split, in order of preference. */
const BOUNDARIES = [/\n\s*\n\s*/g, /\n\s*/g, /(?<=[.!?…]["'”’)]?)\s+|(?<=[。！？])\s*/g, /\s+/g];
const characters = new Intl.Segmenter();

/** A place to split a text: one part stops at `end`, and the next begins at `next`. */
type Cut = Readonly<{ end: number; next: number }>;

/** Splits a text into parts that fit, preferably between paragraphs, then lines, sentences, words, characters. */
export function splitText(text: string, fits: (part: string) => boolean): readonly string[] {
  const parts: string[] = [];
  let rest = text.trim();
  while (rest !== '' && !fits(rest)) {
    const { end, next } = cutOf(rest, fits);
    parts.push(rest.slice(0, end));
    rest = rest.slice(next);
  }
  return rest === '' ? parts : [...parts, rest];
}

/** The last split of the best kind that uses at least half of the possible length. */
function cutOf(text: string, fits: (part: string) => boolean): Cut {
  const found = BOUNDARIES.map((boundary) => lastFitting(cutsAt(text, boundary), text, fits));
  const most = Math.max(...found.map((cut) => cut?.end ?? 0));
  return found.find((cut) => cut !== undefined && cut.end >= most / 2) ?? betweenCharacters(text, fits);
}

const cutsAt = (text: string, boundary: RegExp): readonly Cut[] =>
  [...text.matchAll(boundary)]
    .map(({ index, 0: gap }) => ({ end: index, next: index + gap.length }))
    .filter(({ end, next }) => end > 0 && next < text.length);

/** A binary search, on the assumption that longer parts fit worse. It avoids checking every split. */
function lastFitting(cuts: readonly Cut[], text: string, fits: (part: string) => boolean): Cut | undefined {
  let low = 0;
  let high = cuts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (fits(text.slice(0, cuts[middle]!.end))) low = middle + 1;
    else high = middle;
  }
  return cuts[low - 1];
}

/** Splits a word that does not fit. A single character becomes a part even if it does not fit either. */
function betweenCharacters(text: string, fits: (part: string) => boolean): Cut {
  const cuts = [...characters.segment(text)].map(({ index, segment: { length } }) => index + length);
  const places = cuts.map((end) => ({ end, next: end }));
  return lastFitting(places, text, fits) ?? places[0]!;
}
