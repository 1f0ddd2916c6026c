import { html, type Html } from '#kernel/text/html.ts';

/** A time in a timezone, which it names. */
export function timeIn(at: string, timeZone: string): string {
  const local = new Intl.DateTimeFormat('en-GB', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
  });
  return `${local.format(new Date(at))} (${timeZone})`;
}

/** A time in the reader's timezone: the workspace's, or UTC for guests. */
export const drawTime = (at: string | null, zone: string): Html =>
  at === null ? html`never` : html`<time datetime="${at}">${timeIn(at, zone)}</time>`;

/** When something was last used. */
export const drawLastUse = (at: string | null, zone: string): Html =>
  at === null ? html`never used` : html`last used ${drawTime(at, zone)}`;
