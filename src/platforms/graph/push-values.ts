import * as z from 'zod';

/** An id, which older push formats send as a number. */
export const Key = z.union([z.string().min(1).max(300), z.int().transform(String)]);

/** A flag, which some pushes send as text; false if missing or invalid. */
export const Flag = z.union([z.boolean(), z.literal('true').transform(() => true)]).catch(false);

/** Numbers from here on are milliseconds; smaller ones are seconds. */
const FIRST_MS = 100_000_000_000;

export function msOf(instant: number | undefined): number | undefined {
  if (instant === undefined || instant >= FIRST_MS) return instant;
  return instant * 1000;
}
