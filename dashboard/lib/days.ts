// Days as clocks show them, 'YYYY-MM-DD', and months, 'YYYY-MM'.
const DAY_MS = 86_400_000;

export const addDays = (day: string, count: number): string =>
  new Date(Date.parse(`${day}T00:00Z`) + count * DAY_MS).toISOString().slice(0, 10);

/** The month so many months later. */
export function addMonths(month: string, count: number): string {
  const [year = 0, index = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, index - 1 + count, 1)).toISOString().slice(0, 7);
}

/** The same day of a month so many months later, or its last where it has no such day. */
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

const spoken = (options: Intl.DateTimeFormatOptions) => {
  const format = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' });
  return (day: string) => format.format(new Date(`${day}T00:00Z`));
};
/** Such as Sun 22 Nov 2026. */
export const shortDay = spoken({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' });
/** Such as Sunday 22 November. */
export const longDay = spoken({ weekday: 'long', day: 'numeric', month: 'long' });
const nameOfMonth = spoken({ month: 'long', year: 'numeric' });
/** Such as November 2026. */
export const monthName = (month: string): string => nameOfMonth(`${month}-01`);
/** Such as Sunday. */
export const weekday = spoken({ weekday: 'long' });
