import type { SavedReply } from '../operations.ts';

const PLACE = /\{(name|first_name)\}/g;
/** A place with the space before it, which goes where nobody is named. */
const EMPTY_PLACE = / ?\{(?:name|first_name)\}/g;
const compare = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' }).compare;

/** By name, as people look for them. */
export const sorted = (replies: readonly SavedReply[]): readonly SavedReply[] =>
  replies.toSorted((a, b) => compare(a.name, b.name));

const fold = (text: string): string => text.toLowerCase().normalize('NFKD').replaceAll(/\p{M}/gu, '');

/** Those with every typed word, in their name before in their text. */
export function found(replies: readonly SavedReply[], typed: string): readonly SavedReply[] {
  const words = fold(typed).split(/\s+/).filter(Boolean);
  const has = (text: string) => words.every((word) => fold(text).includes(word));
  const byName = replies.filter(({ name }) => has(name));
  const named = new Set(byName);
  return [...byName, ...replies.filter((one) => !named.has(one) && has(`${one.name} ${one.text}`))];
}

/** The text with the name of the person; without one, nothing stands in its place. */
export function filledFor(text: string, person: string | undefined): string {
  const name = person?.trim() ?? '';
  if (name === '') return text.replaceAll(EMPTY_PLACE, '');
  return text.replaceAll(PLACE, (_, place) => (place === 'name' ? name : name.split(/\s+/, 1)[0]!));
}
