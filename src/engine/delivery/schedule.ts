/** Seconds to wait after the first nine failed attempts; 14 hours in total. */
export const WAITS_S = Object.freeze([30, 90, 270, 810, 1800, 3600, 7200, 14_400, 22_200]);

/** How often sends of one attempt may end in a crash, in case the response itself crashes this server. */
export const MOST_INTERRUPTIONS = 3;

/** Milliseconds until the next attempt, with 10 % jitter; undefined after the last attempt. */
export function waitAfter(attempt: number, random: () => number): number | undefined {
  const seconds = WAITS_S[attempt - 1];
  return seconds === undefined ? undefined : Math.floor(seconds * 1000 * (0.9 + 0.2 * random()));
}
