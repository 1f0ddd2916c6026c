/** Reports of the Analytics API, about two days late. */
import { tableOf } from '#kernel/text/table.ts';
import type { GoogleCall, GoogleRoute } from '../../googleapis/calls.ts';
import type { makeRefusals } from '../../googleapis/errors.ts';
import { isoDay, sumOf, type Day } from '../../kit/days.ts';
import { channelOf, on, type Parts } from './calls.ts';

const LATE_MS = 48 * 3_600_000;
/** Metrics and their counts; those with a divisor are averages. */
const METRICS: ReadonlyMap<string, readonly [count: string, by?: string]> = tableOf({
  views: ['views'],
  estimatedMinutesWatched: ['minutes'],
  averageViewDuration: ['seconds', 'views'],
  averageViewPercentage: ['percent', 'views'],
  subscribersGained: ['gained'],
  subscribersLost: ['lost'],
  likes: ['likes'],
  dislikes: ['dislikes'],
  comments: ['comments'],
  shares: ['shares'],
});

export function analyticsRoutes(parts: Parts, { invalid }: ReturnType<typeof makeRefusals>): readonly GoogleRoute[] {
  const { docs, options } = parts.world;

  function report(call: GoogleCall): unknown {
    const { params } = call;
    const channel = channelOf(parts, call).id;
    const ids = params.required('ids');
    if (ids !== 'channel==MINE' && ids !== `channel==${channel}`)
      throw invalid(`Unknown identifier (${ids}) given in field parameters.ids.`);
    const [start, end] = [params.required('startDate'), params.required('endDate')];
    for (const [name, day] of [
      ['startDate', start],
      ['endDate', end],
    ] as const)
      if (!/^\d{4}-\d\d-\d\d$/.test(day)) throw invalid(`Invalid value '${day}' given in field parameters.${name}.`);
    const metrics = params.required('metrics').split(',');
    const unknown = metrics.find((name) => !METRICS.has(name));
    if (unknown !== undefined) throw invalid(`Unknown identifier (${unknown}) given in field parameters.metrics.`);
    const dimension = params.text('dimensions');
    if (dimension !== undefined && dimension !== 'day' && dimension !== 'video')
      throw invalid(`Unknown identifier (${dimension}) given in field parameters.dimensions.`);
    const [, wanted] = /^video==([\w,-]+)$/.exec(params.text('filters') ?? '') ?? [];
    const last = isoDay(options.clock.now() - LATE_MS);
    const days = docs.list('day', { page: channel }).filter(({ day, parent_id }) => {
      const isRequested = wanted === undefined || wanted.split(',').includes(parent_id);
      return day >= start && day <= end && day <= last && isRequested;
    });

    const numberTypeOf = (name: string) => (name.startsWith('averageViewP') ? 'FLOAT' : 'INTEGER');
    const row = (rows: readonly Day[]) =>
      metrics.map((name) => {
        const [count, by] = METRICS.get(name)!;
        return sumOf(rows, count) / (by === undefined ? 1 : Math.max(1, sumOf(rows, by)));
      });
    const keyOf = ({ day, parent_id }: Day) => (dimension === 'video' ? parent_id : day);
    const groups = Map.groupBy(days, keyOf);
    const keys = [...groups.keys()].toSorted();
    const total = days.length > 0 ? [row(days)] : [];
    const rows = dimension === undefined ? total : keys.map((key) => [key, ...row(groups.get(key)!)]);
    const sort = params.text('sort') ?? '';
    const column = [...(dimension === undefined ? [] : [dimension]), ...metrics];
    const at = column.indexOf(sort.replace(/^-/, ''));
    const ordered = at < 0 ? rows : rows.toSorted((a, b) => Number(a[at]! > b[at]!) - Number(a[at]! < b[at]!));
    return {
      kind: 'youtubeAnalytics#resultTable',
      columnHeaders: column.map((name) => ({
        name,
        columnType: name === dimension ? 'DIMENSION' : 'METRIC',
        dataType: name === dimension ? 'STRING' : numberTypeOf(name),
      })),
      rows: sort.startsWith('-') ? ordered.toReversed() : ordered,
    };
  }

  return [on('GET', '/v2/reports', 'analytics', report)];
}
