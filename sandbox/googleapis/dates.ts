import { DAY } from '#kernel/clock.ts';
import { isObject } from '../kit/api/checks.ts';

function dayOf(date: unknown): number | undefined {
  const { year, month, day } = isObject(date) ? date : {};
  const at = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return at.getUTCMonth() === Number(month) - 1 && at.getUTCDate() === Number(day) ? at.getTime() : undefined;
}

/** The time of a date with an optional time of day. The end of a day is its last instant. */
export function instantOf(date: unknown, time: unknown, isEnd: boolean): number | undefined {
  const start = dayOf(date);
  if (start === undefined || !isObject(time)) return start && start + (isEnd ? DAY - 1 : 0);
  const { hours = 0, minutes = 0, seconds = 0 } = time;
  const isOfDay = Number(hours) <= 24 && Number(minutes) < 60 && Number(seconds) < 60;
  return isOfDay ? start + ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 : undefined;
}
