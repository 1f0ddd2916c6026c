// Instants, and local times in a timezone. A day is 'YYYY-MM-DD', a time 'HH:MM'.
import { addDays, DAY_MS, shortDay } from './days.ts';

const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(zone: string): Intl.DateTimeFormat {
  const known = clocks.get(zone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  clocks.set(zone, made);
  return made;
}

export type WallTime = Readonly<{ day: string; time: string }>;

export function wallTimeOf(instant: string | number, zone: string): WallTime {
  const parts = new Map(
    clockOf(zone)
      .formatToParts(new Date(instant))
      .map(({ type, value }) => [type, value]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type)!;
  return { day: `${part('year')}-${part('month')}-${part('day')}`, time: `${part('hour')}:${part('minute')}` };
}

/** The day after the one of an instant, even if that day has 23 or 25 hours. */
export const tomorrow = (now: number, zone: string): string => addDays(wallTimeOf(now, zone).day, 1);

/** The instant of a local time: of one that comes twice the first, and a skipped one moves forward by the change. */
export function instantOf({ day, time }: WallTime, zone: string): string {
  const wanted = Date.parse(`${day}T${time}Z`);
  const offsetAt = (instant: number) => {
    const wall = wallTimeOf(instant, zone);
    return Date.parse(`${wall.day}T${wall.time}Z`) - instant;
  };
  const [before, after] = [wanted - offsetAt(wanted - DAY_MS), wanted - offsetAt(wanted + DAY_MS)];
  const isShown = (instant: number) => instant + offsetAt(instant) === wanted;
  return new Date(!isShown(before) && isShown(after) ? after : before).toISOString();
}

const INSTANT = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** Replaces the instants in a text with local times. */
export function withLocalTimes(text: string, zone: string): string {
  return text.replaceAll(INSTANT, (instant) => {
    if (Number.isNaN(Date.parse(instant))) return instant;
    const { day, time } = wallTimeOf(instant, zone);
    return `${shortDay(day)}, ${time}`;
  });
}
