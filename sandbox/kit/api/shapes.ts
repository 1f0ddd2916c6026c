/** Checks request bodies with zod and turns violations into the network's own errors. */
import { z } from 'zod';
import type { TwinError } from './errors.ts';

/** The first violation: where it is, whether the value is missing, zod's code and the message. */
export type Flaw = Readonly<{ place: string; isMissing: boolean; code: string; words: string }>;

const placeOf = (name: string, path: readonly PropertyKey[]) =>
  path.reduce<string>((at, key) => (typeof key === 'number' ? `${at}[${key}]` : `${at}.${String(key)}`), name);

/** Makes a parser that throws the network's error, which `refuse` makes. */
export const makeReader =
  (refuse: (flaw: Flaw) => TwinError) =>
  <S extends z.ZodType>(schema: S, value: unknown, name: string): z.output<S> => {
    const read = schema.safeParse(value, { reportInput: true });
    if (read.success) return read.data;
    const [{ path, message: words, input, code }] = read.error.issues as [z.core.$ZodIssue];
    const isMissing = input === undefined || input === null || input === '';
    throw refuse({ place: placeOf(name, path), isMissing, code, words });
  };

export const text = (longest: number) =>
  z.string({ error: 'must be a string' }).min(1).max(longest, `must be at most ${longest} characters long`);

/** Limits the UTF-16 length, because zod counts code points. */
export const utf16 = (longest: number) =>
  z.string().refine(({ length }) => length <= longest, `must be at most ${longest} characters long`);

export const shape = <S extends z.core.$ZodLooseShape>(members: S) =>
  z.looseObject(members, { error: 'must be an object' });

export function listOf<S extends z.ZodType>(item: S, most: number) {
  const error = `must hold 1 to ${most} objects`;
  return z.array(item, { error }).min(1, error).max(most, error);
}
