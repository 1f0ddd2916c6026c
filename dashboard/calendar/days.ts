// Weeks and months of calendar days, 'YYYY-MM-DD'; a month is 'YYYY-MM'.
import { addDays, spoken } from '../lib/days.ts';

/** The month `count` months later. */
export function addMonths(month: string, count: number): string {
  const [year = 0, index = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, index - 1 + count, 1)).toISOString().slice(0, 7);
}

/** The same day `count` months later, or the last day of that month if it is shorter. */
export function sameDay(day: string, count: number): string {
  const month = addMonths(day.slice(0, 7), count);
  const last = addDays(`${addMonths(month, 1)}-01`, -1);
  const wanted = `${month}-${day.slice(8)}`;
  return wanted < last ? wanted : last;
}

export function weekOf(day: string): readonly string[] {
  const weekday = (new Date(`${day}T00:00Z`).getUTCDay() + 6) % 7;
  return Array.from({ length: 7 }, (_, at) => addDays(day, at - weekday));
}

export function weeksOf(month: string): readonly (readonly string[])[] {
  const weeks: (readonly string[])[] = [];
  for (let day = `${month}-01`; weeks.length === 0 || day.startsWith(month); day = addDays(weeks.at(-1)![6]!, 1))
    weeks.push(weekOf(day));
  return weeks;
}

/** Formats a day, such as Sunday 22 November. */
export const longDay = spoken({ weekday: 'long', day: 'numeric', month: 'long' });
const nameOfMonth = spoken({ month: 'long', year: 'numeric' });
/** Formats a month, such as November 2026. */
export const monthName = (month: string): string => nameOfMonth(`${month}-01`);
/** The weekday, such as Sunday. */
export const weekday = spoken({ weekday: 'long' });
