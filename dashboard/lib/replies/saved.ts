import type { SavedReply } from '../operations.ts';
import { fold, wordsIn } from '../words.ts';

const PLACE = /\{(name|first_name)\}/g;
/** A placeholder with the space before it; both are removed if there is no name. */
const EMPTY_PLACE = / ?\{(?:name|first_name)\}/g;
const compare = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' }).compare;

/** Sorted by name, ignoring case and accents, and with numbers by their value. */
export const sorted = (replies: readonly SavedReply[]): readonly SavedReply[] =>
  replies.toSorted((a, b) => compare(a.name, b.name));

type Folded = Readonly<{ name: string; all: string }>;
const foldedOnce = new WeakMap<SavedReply, Folded>();

function foldedOf(one: SavedReply): Folded {
  const known = foldedOnce.get(one);
  if (known !== undefined) return known;
  const name = fold(one.name);
  const folded = { name, all: `${name} ${fold(one.text)}` };
  foldedOnce.set(one, folded);
  return folded;
}

/** The replies that contain every typed word. Matches in the name come before those in the text. */
export function found(replies: readonly SavedReply[], typed: string): readonly SavedReply[] {
  const has = wordsIn(typed);
  if (has === undefined) return replies;
  const byName = replies.filter((one) => has(foldedOf(one).name));
  const named = new Set(byName);
  return [...byName, ...replies.filter((one) => !named.has(one) && has(foldedOf(one).all))];
}

const BEGINNING = 200;

export const beginningOf = (text: string): string =>
  text.length <= BEGINNING ? text : `${text.slice(0, BEGINNING).replace(/[\uD800-\uDBFF]$/, '')}…`;

/** Fills in the person's name. Without a name, the placeholders are removed. */
export function filledFor(text: string, person: string | undefined): string {
  const name = person?.trim() ?? '';
  if (name === '') return text.replaceAll(EMPTY_PLACE, '');
  return text.replaceAll(PLACE, (_, place) => (place === 'name' ? name : name.split(/\s+/, 1)[0]!));
}
