/** How many days a post's chart shows; later there is little change. */
const CHART_DAYS = 30;

/** The days of a chart, from the day of publication and until today at the latest. */
export function firstDays(published: string, today: string): Readonly<{ from: string; to: string }> {
  const last = new Date(`${published}T00:00Z`);
  last.setUTCDate(last.getUTCDate() + CHART_DAYS - 1);
  const end = last.toISOString().slice(0, 10);
  return { from: published, to: end < today ? end : today };
}
