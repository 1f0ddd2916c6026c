import { apart } from './emoji.ts';
import { weightedLength } from './weighted.ts';

/** How platforms count the length of a text; `emoji_bytes`: characters, of emoji their bytes. */
export type Counting = 'chars' | 'utf16' | 'bytes' | 'graphemes' | 'weighted' | 'emoji_bytes';

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Counts a text as the platform does, up to `most`: telling characters apart in a very long one takes its time. */
export function lengthOf(text: string, counting: Counting, most = Infinity): number {
  if (counting === 'utf16') return text.length;
  if (counting === 'bytes') return Buffer.byteLength(text);
  if (counting === 'weighted') return weightedLength(text);
  if (counting === 'emoji_bytes') {
    const { emoji, rest } = apart(text);
    return lengthOf(rest, 'chars') + Buffer.byteLength(emoji.join(''));
  }
  let length = 0;
  for (const _ of counting === 'chars' ? text : graphemes.segment(text)) {
    length += 1;
    if (length >= most) break;
  }
  return length;
}

/** Truncates a text to this number of visible characters (graphemes). */
export function cut(text: string, most: number): string {
  let count = 0;
  for (const { index } of graphemes.segment(text)) {
    if (count++ === most) return text.slice(0, index).trimEnd();
  }
  return text;
}
