/** Daily numbers of a location, computed from the day unless set. */
import { DAY } from '#kernel/clock.ts';
import { createHash } from 'node:crypto';
import type { GoogleCall, GoogleRoute } from '../../googleapis/calls.ts';
import { dayOf } from '../../googleapis/dates.ts';
import { badField } from '../../googleapis/errors.ts';
import { listed } from '../../googleapis/paging.ts';
import { isoDay } from '../../kit/days.ts';
import type { World } from '../world.ts';
import type { Places } from './places.ts';
import { on } from './routes.ts';

export const METRICS = Object.freeze([
  'BUSINESS_IMPRESSIONS_DESKTOP_MAPS',
  'BUSINESS_IMPRESSIONS_DESKTOP_SEARCH',
  'BUSINESS_IMPRESSIONS_MOBILE_MAPS',
  'BUSINESS_IMPRESSIONS_MOBILE_SEARCH',
  'BUSINESS_CONVERSATIONS',
  'BUSINESS_DIRECTION_REQUESTS',
  'CALL_CLICKS',
  'WEBSITE_CLICKS',
  'BUSINESS_BOOKINGS',
  'BUSINESS_FOOD_ORDERS',
  'BUSINESS_FOOD_MENU_CLICKS',
]);
/** The newest days are not counted yet, and numbers are kept for 18 months. */
const LATE = 2 * DAY;
const KEPT = 548 * DAY;
const MOST_VALUE = 40;
const MOST_KEYWORDS = 100;

export const metricId = (location: string, metric: string, day: string): string => `${location} ${metric} ${day}`;

export function metricRoutes({ docs, options: { clock } }: World, places: Places): readonly GoogleRoute[] {
  /** About every fourth day has nothing. */
  function valueOf(location: string, metric: string, day: string): number {
    const id = metricId(location, metric, day);
    const known = docs.get('metric', id)?.value;
    const drawn = createHash('sha256').update(id).digest().readUInt8(0) % MOST_VALUE;
    return known ?? Math.max(0, drawn - MOST_VALUE / 4);
  }
  function dateIn({ ctx }: GoogleCall, parent: string, name: string): number {
    const query = ctx.URL.searchParams;
    const snake = name.replace('Date', '_date').replace('Month', '_month');
    const part = (unit: string) =>
      Number(query.get(`${parent}.${name}.${unit}`) ?? query.get(`${parent}.${snake}.${unit}`));
    const at = dayOf({ year: part('year'), month: part('month'), day: name.endsWith('Month') ? 1 : part('day') });
    if (at === undefined || at < 0) throw badField(`${parent}.${snake}`, 'The date is missing or not valid.');
    return at;
  }
  /** A day without anything has no value. */
  function series(call: GoogleCall, location: string, metric: string): object {
    const [from, to] = [dateIn(call, 'dailyRange', 'startDate'), dateIn(call, 'dailyRange', 'endDate')];
    if (to < from) throw badField('daily_range', 'The range ends before it starts.');
    const datedValues: object[] = [];
    for (
      let at = Math.max(from, Math.floor((clock.now() - KEPT) / DAY) * DAY);
      at <= Math.min(to, clock.now());
      at += DAY
    ) {
      const day = isoDay(at);
      const [year, month, date] = day.split('-').map(Number);
      const value = at > clock.now() - LATE - DAY ? 0 : valueOf(location, metric, day);
      datedValues.push({ date: { year, month, day: date }, ...(value > 0 && { value: String(value) }) });
    }
    return datedValues.length === 0 ? {} : { datedValues };
  }
  function known(metric: string | null): string {
    if (metric === null || !METRICS.includes(metric))
      throw badField('daily_metric', `Invalid value for the daily metric: ${String(metric).slice(0, 80)}`);
    return metric;
  }
  const locationOf = ({ caller, path }: GoogleCall) => places.locationFor(caller, path['location']!).id;
  function multi(call: GoogleCall): object {
    const id = locationOf(call);
    const metrics = call.ctx.URL.searchParams.getAll('dailyMetrics').map(known);
    if (metrics.length === 0) throw badField('daily_metrics', 'No metric is named.');
    const dailyMetricTimeSeries = metrics.map((dailyMetric) => ({
      dailyMetric,
      timeSeries: series(call, id, dailyMetric),
    }));
    return { multiDailyMetricTimeSeries: [{ dailyMetricTimeSeries }] };
  }
  function single(call: GoogleCall): object {
    const id = locationOf(call);
    return { timeSeries: series(call, id, known(call.ctx.URL.searchParams.get('dailyMetric'))) };
  }
  function keywords(call: GoogleCall): object {
    const id = locationOf(call);
    const [from, to] = [dateIn(call, 'monthlyRange', 'startMonth'), dateIn(call, 'monthlyRange', 'endMonth')];
    if (to < from) throw badField('monthly_range', 'The range ends before it starts.');
    const all = (places.location(id)?.title ?? '')
      .toLowerCase()
      .split(' ')
      .map((searchKeyword, at) => ({
        searchKeyword,
        // Small numbers are hidden.
        insightsValue:
          at === 0 ? { value: String(valueOf(id, searchKeyword, isoDay(from)) + MOST_VALUE) } : { threshold: '15' },
      }));
    const { items, next } = listed(call, all, { most: MOST_KEYWORDS, normal: MOST_KEYWORDS });
    return { searchKeywordsCounts: items, ...next };
  }
  const range = (parent: string, units: readonly string[], ...names: readonly string[]) =>
    names.flatMap((name) => units.map((unit) => `${parent}.${name}.${unit}`));
  const days = range('dailyRange', ['year', 'month', 'day'], 'startDate', 'endDate', 'start_date', 'end_date');
  const months = range('monthlyRange', ['year', 'month', 'day'], 'startMonth', 'endMonth', 'start_month', 'end_month');
  const path = '/v1/locations/{location}';
  return [
    on('GET', `${path}:fetchMultiDailyMetricsTimeSeries`, ['dailyMetrics', ...days], multi),
    on('GET', `${path}:getDailyMetricsTimeSeries`, ['dailyMetric', ...days], single),
    on('GET', `${path}/searchkeywords/impressions/monthly`, ['pageSize', 'pageToken', ...months], keywords),
  ];
}
