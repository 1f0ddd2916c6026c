/** Waits after the first nine failed attempts, in seconds; 14 hours in all. */
export const WAITS_S = Object.freeze([30, 90, 270, 810, 1800, 3600, 7200, 14_400, 22_200]);

/** How many sends of one attempt a crash may cut short: a receiver whose answer kills us is not called for ever. */
export const MOST_INTERRUPTIONS = 3;

/** Milliseconds from the end of a failed attempt to the next one, up to a tenth more or less; undefined after the last. */
export function waitAfter(attempt: number, random: () => number): number | undefined {
  const seconds = WAITS_S[attempt - 1];
  return seconds === undefined ? undefined : Math.floor(seconds * 1000 * (0.9 + 0.2 * random()));
}
