/** Where a text may be parted, the best first. */
const BOUNDARIES = [/\n\s*\n\s*/g, /\n\s*/g, /(?<=[.!?…]["'”’)]?)\s+|(?<=[。！？])\s*/g, /\s+/g];
const characters = new Intl.Segmenter();

/** A place to part a text: the first part ends at `end`, the next begins at `next`. */
type Cut = Readonly<{ end: number; next: number }>;

/** Parts a text so that each part fits: between paragraphs, else lines, sentences, words or characters. */
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

/** The last cut of the best kind that leaves at least half of what would fit. */
function cutOf(text: string, fits: (part: string) => boolean): Cut {
  const found = BOUNDARIES.map((boundary) => lastFitting(cutsAt(text, boundary), text, fits));
  const most = Math.max(...found.map((cut) => cut?.end ?? 0));
  return found.find((cut) => cut !== undefined && cut.end >= most / 2) ?? betweenCharacters(text, fits);
}

const cutsAt = (text: string, boundary: RegExp): readonly Cut[] =>
  [...text.matchAll(boundary)]
    .map(({ index, 0: gap }) => ({ end: index, next: index + gap.length }))
    .filter(({ end, next }) => end > 0 && next < text.length);

/** Longer parts are taken to fit worse, so that not every one is counted. */
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

/** A word that does not fit is parted too; a single character stands alone, whatever fits. */
function betweenCharacters(text: string, fits: (part: string) => boolean): Cut {
  const cuts = [...characters.segment(text)].map(({ index, segment: { length } }) => index + length);
  const places = cuts.map((end) => ({ end, next: end }));
  return lastFitting(places, text, fits) ?? places[0]!;
}
