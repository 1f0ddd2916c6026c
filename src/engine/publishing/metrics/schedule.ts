import { HOUR, DAY } from '#kernel/clock.ts';
import { withJitter } from '#platforms/retry-policy.ts';

/** Measuring intervals by age, as a post gains most in its first days. */
const EVERY = Object.freeze([
  { age: DAY, every: 3 * HOUR },
  { age: 7 * DAY, every: 12 * HOUR },
  { age: 30 * DAY, every: DAY },
  { age: 90 * DAY, every: 7 * DAY },
]);

export const FIRST_MS = HOUR;

/** When to measure next, at least `leastMs` from now; null once a post is too old. */
export function nextMeasurement(publishedAt: number | null, now: number, leastMs = 0): number | null {
  const step = EVERY.find(({ age }) => now - (publishedAt ?? now) < age);
  return step === undefined ? null : now + withJitter(Math.max(step.every, leastMs));
}
