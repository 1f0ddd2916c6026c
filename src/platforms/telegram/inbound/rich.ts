/** Reads the text and links of rich messages, which are trees of blocks. */
type Rich = Readonly<Record<string, unknown>>;

const isRich = (value: unknown): value is Rich => typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const within = ({ blocks, items, cells }: Rich): readonly unknown[] => [blocks, items, cells].flatMap(listOf);

/** The text of a part of the tree, with one line per block. */
function wordsIn(part: unknown): string {
  if (typeof part === 'string') return part;
  if (Array.isArray(part)) return part.map(wordsIn).join('');
  if (!isRich(part)) return '';
  const { summary, text, expression, caption, credit } = part;
  return [summary, text, expression, richWords(within(part)), caption, credit].map(wordsIn).filter(Boolean).join('\n');
}

export const richWords = (blocks: readonly unknown[]): string => blocks.map(wordsIn).filter(Boolean).join('\n');

export function richLinks(parts: readonly unknown[]): readonly Readonly<{ text: string; url: string }>[] {
  return parts.flatMap((part) => {
    if (Array.isArray(part)) return richLinks(part);
    if (!isRich(part)) return [];
    const { url, text, summary, caption, credit } = part;
    const own = typeof url === 'string' ? [{ text: wordsIn(text), url }] : [];
    return [...own, ...richLinks([text, summary, caption, credit, ...within(part)])];
  });
}
