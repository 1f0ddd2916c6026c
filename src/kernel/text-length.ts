/** How platforms count the length of a text. */
export type Counting = 'chars' | 'utf16' | 'bytes' | 'graphemes';

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Counts a text as the platform does. */
export function lengthOf(text: string, counting: Counting): number {
  if (counting === 'utf16') return text.length;
  if (counting === 'bytes') return Buffer.byteLength(text);
  if (counting === 'chars') return Array.from(text).length;
  return [...graphemes.segment(text)].length;
}
