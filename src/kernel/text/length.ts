import { splitEmoji } from './emoji.ts';
import { weightedLength } from './weighted.ts';

/** How a platform counts the length of a text; `emoji_bytes`: characters, but emoji count as their bytes. */
export type Counting = 'chars' | 'utf16' | 'bytes' | 'graphemes' | 'weighted' | 'emoji_bytes';

const utf8 = new TextEncoder();
const bytesOf = (text: string): number => utf8.encode(text).length;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The length of a text as a platform counts it, up to `most`, because segmenting a long text is slow. */
export function lengthOf(text: string, counting: Counting, most = Infinity): number {
  if (counting === 'utf16') return text.length;
  if (counting === 'bytes') return bytesOf(text);
  if (counting === 'weighted') return weightedLength(text);
  if (counting === 'emoji_bytes') {
    const { emoji, rest } = splitEmoji(text);
    return lengthOf(rest, 'chars') + bytesOf(emoji.join(''));
  }
  let length = 0;
  for (const _ of counting === 'chars' ? text : graphemes.segment(text)) {
    length += 1;
    if (length >= most) break;
  }
  return length;
}

/** Ways of counting whose result may be larger than JavaScript's length. */
const DENSE: ReadonlySet<Counting> = new Set(['bytes', 'weighted', 'emoji_bytes']);

/** Beyond this multiple of the limit, the exact length is not counted. */
const EXACT_UP_TO = 10;

type Limits = Readonly<{ max: number; counting: Counting; max_bytes?: number | undefined }>;

/** Messages about the limits that a text exceeds. */
export function excessesOf(text: string, { max, counting, max_bytes = Infinity }: Limits): readonly string[] {
  const most = max * EXACT_UP_TO;
  const length = !DENSE.has(counting) && text.length <= max ? 0 : lengthOf(text, counting, most);
  const unit = counting === 'bytes' ? 'byte' : 'character';
  const excesses = length > max ? [exceeding(max, unit, length < most ? `${length}` : `more than ${most}`)] : [];
  // A UTF-16 unit takes at most three bytes, so most texts need not be encoded.
  const bytes = text.length * 3 <= max_bytes ? 0 : bytesOf(text);
  const isTooHeavy = bytes > max_bytes && !(counting === 'bytes' && length > max);
  return isTooHeavy ? [...excesses, exceeding(max_bytes, 'byte', `${bytes}`)] : excesses;
}

const exceeding = (max: number, unit: string, length: string): string =>
  `exceeds ${max} ${unit} limit (${length}/${max})`;

/** The beginning of a text with at most `most` characters, without splitting a visible one; `mark` shows the cut. */
export function cut(text: string, most: number, mark = ''): string {
  if (text.length <= most) return text;
  const room = most - mark.length;
  const { index } = graphemes.segment(text).containing(room)!;
  // A single visible character that is too long must be split.
  const beginning = index > 0 ? text.slice(0, index) : text.slice(0, room).replace(/[\uD800-\uDBFF]$/, '');
  return beginning.trimEnd() + mark;
}
