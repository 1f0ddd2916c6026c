import { boundedMap } from '#kernel/limits/bounded-map.ts';
import { html, type Html } from '#kernel/text/html.ts';

const SHOWN = Object.freeze({
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
} as const);
/** A page may have hundreds of times, all in one timezone. */
const clocks = boundedMap<string, Intl.DateTimeFormat>(100);

/** A time in a timezone, which it names. */
export function timeIn(at: string, timeZone: string): string {
  const clock = clocks.get(timeZone) ?? new Intl.DateTimeFormat('en-GB', { ...SHOWN, timeZone });
  clocks.set(timeZone, clock);
  return `${clock.format(new Date(at))} (${timeZone})`;
}

/** A time in the reader's timezone: the workspace's, or UTC for guests. */
export const drawTime = (at: string | null, zone: string): Html =>
  at === null ? html`never` : html`<time datetime="${at}">${timeIn(at, zone)}</time>`;

/** When something was last used. */
export const drawLastUse = (at: string | null, zone: string): Html =>
  at === null ? html`never used` : html`last used ${drawTime(at, zone)}`;
