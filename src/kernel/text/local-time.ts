import { createRequire } from 'node:module';
import type * as polyfill from 'temporal-polyfill';

const require = createRequire(import.meta.url);
/** Loaded when it is first needed: few requests need it, and it takes 7 MB. */
const temporal = () => (require('temporal-polyfill') as typeof polyfill).Temporal;

/** A date and a time of day without an offset, with a `T` or, as spreadsheets write it, a space between them. */
const LOCAL = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::[0-5]\d(?:\.\d{1,9})?)?$/;

/** Whether a text names a timezone of the IANA database; offsets and made-up names do not. */
export function isTimezone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/**
 * A time without an offset as the instant that clocks in a timezone showed it, in UTC; any other text as it came. A time
 * that clocks skipped is as much later as they jumped; of one that they showed twice, the earlier counts (decision 0019).
 */
export function localToUtc(text: string, timezone: string): string {
  if (!LOCAL.test(text)) return text;
  try {
    const local = temporal().PlainDateTime.from(text.replace(' ', 'T'));
    return local.toZonedDateTime(timezone, { disambiguation: 'compatible' }).toInstant().toString();
  } catch (error) {
    // There is no such day; the schema says so by the name of the field.
    if (error instanceof RangeError) return text;
    throw error;
  }
}

/** The day that an instant (milliseconds) is in where clocks show the time of a timezone, as `YYYY-MM-DD`. */
export function localDay(timezone: string, at: number): string {
  return temporal().Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timezone).toPlainDate().toString();
}

/** The first instant (milliseconds) of a day in a timezone. */
export function startOfDay(timezone: string, day: string): number {
  return temporal().PlainDate.from(day).toZonedDateTime(timezone).epochMilliseconds;
}

/** A day so many days later. */
export function daysAfter(day: string, days: number): string {
  return temporal().PlainDate.from(day).add({ days }).toString();
}

/** How many days lie between two. */
export function daysBetween(from: string, to: string): number {
  return temporal().PlainDate.from(from).until(temporal().PlainDate.from(to)).days;
}

export type Span = Readonly<{ start: number; end: number }>;

/** The day or month of a timezone that an instant (milliseconds) is in: its first instant, and that of the next one. */
export function calendarSpan(unit: 'day' | 'month', timezone: string, now: number): Span {
  const today = temporal().Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timezone).startOfDay();
  const first = unit === 'day' ? today : today.with({ day: 1 }).startOfDay();
  const next = first.add(unit === 'day' ? { days: 1 } : { months: 1 }).startOfDay();
  return { start: first.epochMilliseconds, end: next.epochMilliseconds };
}
