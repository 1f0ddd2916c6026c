import { createRequire } from 'node:module';
import type * as polyfill from 'temporal-polyfill';

const require = createRequire(import.meta.url);
/** Loads the library only when needed, because it takes 7 MB and few requests need it. */
const temporal = () => (require('temporal-polyfill') as typeof polyfill).Temporal;

/** A date and time without an offset, separated by `T` or, as in spreadsheets, by a space. */
const LOCAL = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::[0-5]\d(?:\.\d{1,9})?)?$/;

/** Whether a name is an IANA timezone; offsets such as +02:00 are not. */
export function isTimezone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Converts a local time to UTC; any other text is returned unchanged. Skipped and repeated times: decision 0019. */
export function localToUtc(text: string, timezone: string): string {
  if (!LOCAL.test(text)) return text;
  try {
    const local = temporal().PlainDateTime.from(text.replace(' ', 'T'));
    return local.toZonedDateTime(timezone, { disambiguation: 'compatible' }).toInstant().toString();
  } catch (error) {
    // The day does not exist; validation by the schema then reports it with the name of the field.
    if (error instanceof RangeError) return text;
    throw error;
  }
}

export const WEEKDAYS = Object.freeze(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const);

/** Matches a time on the clock from 00:00 to 23:59. */
export const CLOCK_TIME = /^(?:[01]\d|2[0-3]):[0-5]\d$/;

/** A weekday, and a time on the clock such as 09:00. */
export type WeeklyTime = Readonly<{ day: (typeof WEEKDAYS)[number]; time: string }>;

/** When a local day has the given weekly times, in order. Skipped and repeated times: decision 0019. */
export function weeklyTimesOn(timezone: string, day: string, times: readonly WeeklyTime[]): readonly number[] {
  const date = temporal().PlainDate.from(day);
  const weekday = WEEKDAYS[date.dayOfWeek - 1];
  return times
    .filter((one) => one.day === weekday)
    .map(({ time }) => date.toZonedDateTime({ timeZone: timezone, plainTime: time }).epochMilliseconds)
    .toSorted((one, other) => one - other);
}

/** The local weekday and time of an instant. */
export function weeklyTimeAt(timezone: string, at: number): WeeklyTime {
  const local = temporal().Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timezone);
  return {
    day: WEEKDAYS[local.dayOfWeek - 1]!,
    time: local.toPlainTime().toString({ smallestUnit: 'minute' }),
  };
}

/** The local date of an instant, as `YYYY-MM-DD`. */
export function localDay(timezone: string, at: number): string {
  return temporal().Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timezone).toPlainDate().toString();
}

export function startOfDay(timezone: string, day: string): number {
  return temporal().PlainDate.from(day).toZonedDateTime(timezone).epochMilliseconds;
}

export function daysAfter(day: string, days: number): string {
  return temporal().PlainDate.from(day).add({ days }).toString();
}

export function daysBetween(from: string, to: string): number {
  return temporal().PlainDate.from(from).until(temporal().PlainDate.from(to)).days;
}

export type Span = Readonly<{ start: number; end: number }>;

/** The local day or month that contains a time: its start, and the start of the next one. */
export function calendarSpan(unit: 'day' | 'month', timezone: string, now: number): Span {
  const today = temporal().Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timezone).startOfDay();
  const first = unit === 'day' ? today : today.with({ day: 1 }).startOfDay();
  const next = first.add(unit === 'day' ? { days: 1 } : { months: 1 }).startOfDay();
  return { start: first.epochMilliseconds, end: next.epochMilliseconds };
}
