import { badParam, type GraphError } from './api/errors.ts';
import type { Call } from './world.ts';

type MetricValue = number | Readonly<Record<string, number>>;
/** The supported metrics; retired ones are not in the table. */
export type Metrics<T> = Readonly<Record<string, (node: T) => MetricValue>>;

export const INSIGHT_PARAMS = Object.freeze([
  'metric',
  'period',
  'date_preset',
  'breakdown',
  'show_description_from_api_doc',
]);

/** Makes the error for a request with missing metrics, in which case the platform returns none at all. */
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
  /** A comma-separated list of metrics that posts do not have. */
  metrics_lacking: '',
});

export function lessThan<T>(known: Metrics<T>, lacking: string): Metrics<T> {
  const gone = new Set(lacking.split(','));
  return Object.fromEntries(Object.entries(known).filter(([name]) => !gone.has(name)));
}

/** The requested metrics, sent as JSON or separated by commas. */
export function metricOf({ params }: Call): string | undefined {
  const text = params.text('metric');
  return text?.startsWith('[') ? params.list('metric')?.map(String).join(',') : text;
}

export const tally = <T>(rows: readonly T[], wordOf: (row: T) => string): Readonly<Record<string, number>> =>
  Object.fromEntries([...Map.groupBy(rows, wordOf)].map(([word, found]) => [word, found.length]));

export const lifetime = <T extends { id: string }>(
  known: Metrics<T>,
  node: T,
  metric: string | undefined,
  refuse?: RefuseMetrics,
): object => ({
  data: named(known, metric, refuse).map((name) => ({
    name,
    period: 'lifetime',
    values: [{ value: known[name]?.(node) }],
    title: title(name),
    description: title(name),
    id: `${node.id}/insights/${name}/lifetime`,
  })),
});
