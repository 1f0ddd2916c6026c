import * as z from 'zod';
import { unclear } from './errors.ts';

/** A text that is missing or invalid is undefined. */
export const text = z.string().optional().catch(undefined);
/** A text that is missing or invalid is empty. */
export const word = z.string().catch('').default('');
export const flag = z.boolean().catch(false);
/** A count that is missing or invalid is 0. */
export const count = z.number().int().nonnegative().catch(0).default(0);
/** A length, width or height; undefined where it is missing, invalid or 0. */
export const dimension = z.number().positive().optional().catch(undefined);
/** A count, which may be text; one that is missing, hidden or invalid is 0. */
export const counted = z.coerce.number().int().nonnegative().catch(0);
/** An id that is a long number, as text or bare. */
export const LongId = z.union([z.string().min(1), z.number().int().transform(String)]);
/** The same where it may be missing, or be something else. */
export const maybeId = LongId.optional().catch(undefined);

/** Numbers from here on are milliseconds; smaller ones are seconds. */
const FIRST_MS = 100_000_000_000;
/** A time in milliseconds, from a number or text of either. */
export const UnixTime = z.coerce
  .number()
  .positive()
  .transform((time) => (time < FIRST_MS ? time * 1000 : time));

/** What is answered where nothing of it is needed. */
export const anything = z.unknown().optional();

/** The `data` of an answer. */
export const dataOf = <T extends z.ZodType>(data: T) =>
  z.object({ data }).transform((answer) => (answer as { data: z.output<T> }).data);

/** An ISO time that can be read. */
export const instant = z.string().refine((iso) => !Number.isNaN(Date.parse(iso)));

/** The first time that can be read, in milliseconds; throws if none can. */
export function statedTime(...times: readonly (string | undefined)[]): number {
  const time = times.map((iso) => Date.parse(iso ?? '')).find((ms) => !Number.isNaN(ms));
  if (time === undefined) throw unclear('A post has no readable time.');
  return time;
}

/** What the entries should have been that no list shows, as they cannot be parsed. */
const unreadable = new WeakMap<object, z.ZodType>();

/** The entries that can be parsed; an invalid one must not fail the whole list. */
export function readable<T extends z.ZodType>(schema: T, list: readonly unknown[]): readonly z.output<T>[] {
  return list.flatMap((item) => {
    const parsed = schema.safeParse(item);
    if (!parsed.success && typeof item === 'object' && item !== null) unreadable.set(item, schema);
    return parsed.success ? [parsed.data] : [];
  });
}

/** What an entry should have been that was left out as it cannot be parsed. */
export const shouldHaveBeen = (entry: object): z.ZodType | undefined => unreadable.get(entry);
