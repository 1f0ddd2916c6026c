/** What bodies must look like, as zod schemas; a value that does not fit is refused in the network's own words. */
import { z } from 'zod';
import type { TwinError } from './errors.ts';

/** The first thing wrong with a value: where it stands, whether anything is there, its kind, and what is said of it. */
export type Flaw = Readonly<{ place: string; isMissing: boolean; code: string; words: string }>;

const placeOf = (name: string, path: readonly PropertyKey[]) =>
  path.reduce<string>((at, key) => (typeof key === 'number' ? `${at}[${key}]` : `${at}.${String(key)}`), name);

/** Reads values by their schemas; `refuse` is the network's refusal of a flaw. */
export const makeReader =
  (refuse: (flaw: Flaw) => TwinError) =>
  <S extends z.ZodType>(schema: S, value: unknown, name: string): z.output<S> => {
    const read = schema.safeParse(value, { reportInput: true });
    if (read.success) return read.data;
    const [{ path, message: words, input, code }] = read.error.issues as [z.core.$ZodIssue];
    const isMissing = input === undefined || input === null || input === '';
    throw refuse({ place: placeOf(name, path), isMissing, code, words });
  };

/** A text that is not empty, of bounded length. */
export const text = (longest: number) =>
  z.string({ error: 'must be a string' }).min(1).max(longest, `must be at most ${longest} characters long`);

/** A text of at most so many UTF-16 units; the schemas themselves count code points. */
export const utf16 = (longest: number) =>
  z.string().refine(({ length }) => length <= longest, `must be at most ${longest} characters long`);

/** An object with at least these members. */
export const shape = <S extends z.core.$ZodLooseShape>(members: S) =>
  z.looseObject(members, { error: 'must be an object' });

/** A list of at least one and at most so many. */
export function listOf<S extends z.ZodType>(item: S, most: number) {
  const error = `must hold 1 to ${most} objects`;
  return z.array(item, { error }).min(1, error).max(most, error);
}
