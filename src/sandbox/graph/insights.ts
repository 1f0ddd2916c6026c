import { badParam } from './api/errors.ts';
import { graphTime } from './ids.ts';
import type { Call } from './world.ts';

const DAY = 86_400_000;
const PERIODS = Object.freeze(['day', 'week', 'days_28', 'month', 'lifetime', 'total_over_range'] as const);
const DAYS: Readonly<Record<string, number>> = { day: 1, week: 7, days_28: 28, month: 28 };
/** Longer spans are refused. */
const LONGEST_SPAN = 93 * DAY;

export type MetricValue = number | Readonly<Record<string, number>>;
/** Metrics by name; retired ones are unknown, as everywhere. */
export type Metrics<T> = Readonly<Record<string, (node: T) => MetricValue>>;
export type SpanMetrics = Readonly<Record<string, (page: string, from: number, to: number) => MetricValue>>;

export const INSIGHT_PARAMS = Object.freeze([
  'metric',
  'period',
  'date_preset',
  'breakdown',
  'show_description_from_api_doc',
]);

function named(known: object, text: string | undefined): readonly string[] {
  const names = (text ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  if (names.length === 0) throw badParam('The parameter metric is required');
  for (const name of names)
    if (!Object.hasOwn(known, name)) throw badParam('The value must be a valid insights metric');
  return names;
}

const title = (name: string) => name.replaceAll('_', ' ').replace(/^./, (first) => first.toUpperCase());

/** The names asked for; lists come as commas or as JSON. */
export function metricOf({ params }: Call): string | undefined {
  const text = params.text('metric');
  return text?.startsWith('[') ? params.list('metric')?.map(String).join(',') : text;
}

/** How often each word comes. */
export const tally = <T>(rows: readonly T[], wordOf: (row: T) => string): Readonly<Record<string, number>> =>
  Object.fromEntries([...Map.groupBy(rows, wordOf)].map(([word, found]) => [word, found.length]));

/** The metrics of one thing over its whole life. */
export const lifetime = <T extends { id: string }>(
  known: Metrics<T>,
  node: T,
  metric: string | undefined,
  edge: string,
): object => ({
  data: named(known, metric).map((name) => ({
    name,
    period: 'lifetime',
    values: [{ value: known[name]?.(node) }],
    title: title(name),
    description: title(name),
    id: `${node.id}/${edge}/${name}/lifetime`,
  })),
});

/** The metrics of an account by period. */
export function overTime(known: SpanMetrics, id: string, call: Call, now: number): object {
  const period = call.params.oneOf('period', PERIODS) ?? 'day';
  const names = named(known, metricOf(call));
  const until = call.params.time('until') ?? now;
  const since = call.params.time('since') ?? until - 2 * DAY;
  if (since > until) throw badParam('Param since must be before until');
  if (until - since > LONGEST_SPAN) throw badParam('There cannot be more than 93 days between since and until');
  const days = DAYS[period] ?? Math.max(1, Math.round((until - since) / DAY));
  const ends: number[] = [];
  for (let end = until - ((until - since) % DAY); end > since && period !== 'total_over_range'; end -= DAY)
    ends.unshift(end);
  return {
    data: names.map((name) => ({
      name,
      period,
      values: (ends.length === 0 ? [until] : ends).map((end) => ({
        value: known[name]?.(id, end - days * DAY, end),
        end_time: graphTime(end),
      })),
      title: title(name),
      description: title(name),
      id: `${id}/insights/${name}/${period}`,
    })),
  };
}
