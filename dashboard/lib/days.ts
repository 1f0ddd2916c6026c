// Calendar days, 'YYYY-MM-DD'.
export const DAY_MS = 86_400_000;

export const addDays = (day: string, count: number): string =>
  new Date(Date.parse(`${day}T00:00Z`) + count * DAY_MS).toISOString().slice(0, 10);

/** Returns a function that writes out a day. */
export const spoken = (options: Intl.DateTimeFormatOptions) => {
  const format = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' });
  return (day: string) => format.format(new Date(`${day}T00:00Z`));
};
/** Formats a day, such as Sun 22 Nov 2026. */
export const shortDay = spoken({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' });
