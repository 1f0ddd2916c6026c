/** Without case and accents, for comparing. */
export const fold = (text: string): string => text.toLowerCase().normalize('NFKD').replaceAll(/\p{M}/gu, '');

/** Whether a folded text contains every typed word; undefined if none was typed. */
export function wordsIn(typed: string): ((folded: string) => boolean) | undefined {
  const words = fold(typed).split(/\s+/).filter(Boolean);
  return words.length === 0 ? undefined : (folded) => words.every((word) => folded.includes(word));
}
