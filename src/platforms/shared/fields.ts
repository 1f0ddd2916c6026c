import * as z from 'zod';

/** A text; undefined if missing or invalid. */
export const text = z.string().optional().catch(undefined);
/** A text; empty if missing or invalid. */
export const word = z.string().catch('').default('');
export const flag = z.boolean().catch(false);
/** A count; 0 if missing or invalid. */
export const count = z.number().int().nonnegative().catch(0).default(0);
/** A length, width or height; undefined if missing, invalid or 0. */
export const dimension = z.number().positive().optional().catch(undefined);
/** A count, given as a number or a text; 0 if missing, hidden or invalid. */
export const counted = z.coerce.number().int().nonnegative().catch(0);
/** A long numeric id, given as a text or a number. */
export const LongId = z.union([z.string().min(1), z.number().int().transform(String)]);
/** A long numeric id; undefined if missing or invalid. */
export const maybeId = LongId.optional().catch(undefined);

/** The last time that a date can have, in milliseconds. */
export const LAST_TIME = 8_640_000_000_000_000;
/** Numbers from here on are milliseconds; smaller ones are seconds. */
const FIRST_MS = 100_000_000_000;
/** A time in milliseconds, parsed from seconds or milliseconds given as a number or a text. */
export const UnixTime = z.coerce
  .number()
  .positive()
  .transform((time) => (time < FIRST_MS ? time * 1000 : time));

/** A time in milliseconds; undefined if missing or invalid. */
export const maybeTime = UnixTime.optional().catch(undefined);

/** A response whose content is not used. */
export const anything = z.unknown().optional();

export const dataOf = <T extends z.ZodType>(data: T) =>
  z.object({ data }).transform((answer) => (answer as { data: z.output<T> }).data);

export const instant = z.string().refine((iso) => !Number.isNaN(Date.parse(iso)));

/** Entries that could not be parsed and were left out of their list, with the schema they failed. */
const unreadable = new WeakMap<object, z.ZodType>();

/** Parses the entries of a list; an invalid entry is left out so that the others can be used. */
export function readable<T extends z.ZodType>(schema: T, list: readonly unknown[]): readonly z.output<T>[] {
  return list.flatMap((item) => {
    const parsed = schema.safeParse(item);
    if (!parsed.success && typeof item === 'object' && item !== null) unreadable.set(item, schema);
    return parsed.success ? [parsed.data] : [];
  });
}

/** The schema that an omitted entry failed to match. */
export const shouldHaveBeen = (entry: object): z.ZodType | undefined => unreadable.get(entry);
