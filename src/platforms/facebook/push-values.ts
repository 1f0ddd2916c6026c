import * as z from 'zod';

/** An id; old forms of pushes write some as numbers. */
export const Key = z.union([z.string().min(1).max(300), z.int().transform(String)]);

/** From here on a number is milliseconds: as seconds it would lie thousands of years ahead. */
const FIRST_MS = 100_000_000_000;

/** The milliseconds of an instant that may be told in seconds. */
export function msOf(instant: number | undefined): number | undefined {
  if (instant === undefined || instant >= FIRST_MS) return instant;
  return instant * 1000;
}
