/** How Threads counts characters, links and mentions. */

const MOST_CHARACTERS = 500;
const MOST_LINKS = 5;

/** Every emoji that Unicode recommends, sequences included. */
const EMOJI = /\p{RGI_Emoji}/v;
const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** An emoji counts as its UTF-8 bytes, any other character as one. */
function lengthOf(text: string): number {
  let length = 0;
  for (const { segment } of segmenter.segment(text))
    length += EMOJI.test(segment) ? Buffer.byteLength(segment) : Array.from(segment).length;
  return length;
}

export const isTooLong = (text: string): boolean => lengthOf(text) > MOST_CHARACTERS;

export function hasTooManyLinks(text: string, attached: string | undefined): boolean {
  const links = [...text.matchAll(/https?:\/\/[^\s<>"]+/gi)].map(([link]) => link.replace(/[.,;:!?)\]]+$/, ''));
  return new Set([...links, ...(attached === undefined ? [] : [attached])]).size > MOST_LINKS;
}

export const mentionsIn = (text: string): readonly string[] => [
  ...new Set(
    [...text.matchAll(/(?<![\w@.])@([a-z\d_][a-z\d_.-]*[a-z\d_])/gi)].map(([, name = '']) => name.toLowerCase()),
  ),
];
