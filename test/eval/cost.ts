/** What a job costs: calls, the characters of their answers, how many of them were refused, and the longest answer. */
export type Cost = Readonly<{ calls: number; characters: number; refusals: number; largest: number }>;

declare module 'vitest' {
  interface TaskMeta {
    /** What the table of `npm run eval` shows of a test. */
    cost?: Cost;
  }
}

/** No answer is longer: hosts move what is to a file, or cut it. */
export const LARGEST = 40_000;

/** The cost of calls, by the length of each answer. */
export const costOf = (sizes: readonly number[], refusals = 0): Cost => ({
  calls: sizes.length,
  characters: sizes.reduce((sum, size) => sum + size, 0),
  refusals,
  largest: Math.max(...sizes),
});
