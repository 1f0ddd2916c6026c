/** A time in the workspace's timezone. */
export function timeIn(at: string, timeZone: string): string {
  const local = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'short', timeZone });
  return `${local.format(new Date(at))} (${timeZone})`;
}
