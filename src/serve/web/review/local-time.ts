/** An instant as it is in the timezone of the workspace; everything else as it is. */
export function timeIn(value: string, timeZone: string): string {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value) || Number.isNaN(Date.parse(value))) return value;
  const local = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'short', timeZone });
  return `${local.format(new Date(value))} (${timeZone})`;
}
