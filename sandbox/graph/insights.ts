import { DAY } from '#kernel/clock.ts';
import { tableOf } from '#kernel/text/table.ts';
import { badParam, type GraphError } from './api/errors.ts';
import { graphTime } from './ids.ts';
import type { Call } from './world.ts';

const PERIODS = Object.freeze(['day', 'week', 'days_28', 'month', 'lifetime', 'total_over_range'] as const);
const DAYS: ReadonlyMap<string, number> = tableOf({ day: 1, week: 7, days_28: 28, month: 28 });
/** Longer periods are refused. */
const LONGEST_SPAN = 93 * DAY;

type MetricValue = number | Readonly<Record<string, number>>;
/** Metrics by name; retired ones are unknown. */
export type Metrics<T> = Readonly<Record<string, (node: T) => MetricValue>>;
export type SpanMetrics = Readonly<Record<string, (page: string, from: number, to: number) => MetricValue>>;

export const INSIGHT_PARAMS = Object.freeze([
  'metric',
  'period',
  'date_preset',
  'breakdown',
  'show_description_from_api_doc',
]);

/** A platform's refusal of all metrics because of missing ones. */
export type RefuseMetrics = (lacking: readonly string[], request: readonly string[]) => GraphError;

const invalidMetric: RefuseMetrics = () => badParam('The value must be a valid insights metric');

function named(known: object, text: string | undefined, refuse = invalidMetric): readonly string[] {
  const names = (text ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  if (names.length === 0) throw badParam('The parameter metric is required');
  const lacking = names.filter((name) => !Object.hasOwn(known, name));
  if (lacking.length > 0) throw refuse(lacking, names);
  return names;
}

const title = (name: string) => name.replaceAll('_', ' ').replace(/^./, (first) => first.toUpperCase());

export const INSIGHT_SETTINGS = Object.freeze({
  /** Comma-separated metrics that posts lack. */
  metrics_lacking: '',
});

export function lessThan<T>(known: Metrics<T>, lacking: string): Metrics<T> {
  const gone = new Set(lacking.split(','));
  return Object.fromEntries(Object.entries(known).filter(([name]) => !gone.has(name)));
}

/** Requested names, comma-separated or JSON. */
export function metricOf({ params }: Call): string | undefined {
  const text = params.text('metric');
  return text?.startsWith('[') ? params.list('metric')?.map(String).join(',') : text;
}

export const tally = <T>(rows: readonly T[], wordOf: (row: T) => string): Readonly<Record<string, number>> =>
  Object.fromEntries([...Map.groupBy(rows, wordOf)].map(([word, found]) => [word, found.length]));

const rowsOf = (
  names: readonly string[],
  id: string,
  edge: string,
  period: string,
  valueOf: (name: string) => object,
) => ({
  data: names.map((name) => ({
    name,
    period,
    ...valueOf(name),
    title: title(name),
    description: title(name),
    id: `${id}/${edge}/${name}/${period}`,
  })),
});

export const lifetime = <T extends { id: string }>(
  known: Metrics<T>,
  node: T,
  metric: string | undefined,
  edge: string,
  refuse?: RefuseMetrics,
): object =>
  rowsOf(named(known, metric, refuse), node.id, edge, 'lifetime', (name) => ({
    values: [{ value: known[name]?.(node) }],
  }));

/** The call's period; by default the last days. */
export function spanOf({ params }: Call, now: number, days: number): Readonly<{ since: number; until: number }> {
  const until = params.time('until') ?? now;
  const since = params.time('since') ?? until - days * DAY;
  if (since > until) throw badParam('Param since must be before until');
  return { since, until };
}

export const totals = (
  known: Readonly<Record<string, (account: string, since: number, until: number) => object>>,
  id: string,
  call: Call,
  { since, until }: Readonly<{ since: number; until: number }>,
): object =>
  rowsOf(named(known, metricOf(call)), id, 'insights', 'day', (name) => known[name]?.(id, since, until) ?? {});

/** Sums a number over events of a period. */
export const summed =
  <T extends Readonly<{ at: number }>>(rows: (account: string) => readonly T[], read: (one: T) => number) =>
  (account: string, from: number, to: number): number =>
    rows(account)
      .filter(({ at }) => at >= from && at < to)
      .reduce((total, one) => total + read(one), 0);

export const asTotals = (known: SpanMetrics): Parameters<typeof totals>[0] =>
  Object.fromEntries(
    Object.entries(known).map(([name, read]) => [
      name,
      (account: string, from: number, to: number) => ({ total_value: { value: read(account, from, to) } }),
    ]),
  );

export const byDay = (since: number, until: number, count: (from: number, to: number) => number) => ({
  values: Array.from({ length: Math.max(1, Math.ceil((until - since) / DAY)) }, (_, day) => {
    const to = since + (day + 1) * DAY;
    return { value: count(to - DAY, to), end_time: graphTime(to) };
  }),
});

export function overTime(known: SpanMetrics, id: string, call: Call, now: number): object {
  const period = call.params.oneOf('period', PERIODS) ?? 'day';
  const names = named(known, metricOf(call));
  const { since, until } = spanOf(call, now, 2);
  if (until - since > LONGEST_SPAN) throw badParam('There cannot be more than 93 days between since and until');
  const days = DAYS.get(period) ?? Math.max(1, Math.round((until - since) / DAY));
  const ends: number[] = [];
  for (let end = until - ((until - since) % DAY); end > since && period !== 'total_over_range'; end -= DAY)
    ends.unshift(end);
  return rowsOf(names, id, 'insights', period, (name) => ({
    values: (ends.length === 0 ? [until] : ends).map((end) => ({
      value: known[name]?.(id, end - days * DAY, end),
      end_time: graphTime(end),
    })),
  }));
}
