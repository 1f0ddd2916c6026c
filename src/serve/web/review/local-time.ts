/** An instant as it is in the timezone of the workspace. */
export function timeIn(at: string, timeZone: string): string {
  const local = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'short', timeZone });
  return `${local.format(new Date(at))} (${timeZone})`;
}
