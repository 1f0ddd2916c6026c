import * as z from 'zod';

/** Old push formats contain numbers. */
export const Key = z.union([z.string().min(1).max(300), z.int().transform(String)]);

/** A flag, which some bodies write as text; a missing or invalid one is off. */
export const Flag = z.union([z.boolean(), z.literal('true').transform(() => true)]).catch(false);

/** Numbers from here on are milliseconds; smaller ones are seconds. */
const FIRST_MS = 100_000_000_000;

export function msOf(instant: number | undefined): number | undefined {
  if (instant === undefined || instant >= FIRST_MS) return instant;
  return instant * 1000;
}
