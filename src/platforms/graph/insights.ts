import * as z from 'zod';
import { unlessRefused } from '../shared/errors.ts';
import { type GraphAsk, listOf } from './api.ts';

/** Insights of an object: each metric with its values. */
export const Insights = listOf(
  z.object({ name: z.string(), values: z.array(z.object({ value: z.unknown() })).catch([]) }),
);

/** Metrics that have the same name here. */
export const sameNames = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, name]));

/** The metrics of an object by our names, those of Graph being the keys; none if the object or the login has none. */
export async function readInsights(
  request: (ask: GraphAsk, schema: typeof Insights) => Promise<z.output<typeof Insights>>,
  thing: string,
  names: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, number>>> {
  const query = { metric: Object.keys(names).join(',') };
  const read = request({ method: 'GET', path: '/{thing}/insights', ids: { thing }, query }, Insights);
  const found = await unlessRefused(read, 'not_found', 'permission_denied', 'invalid_request');
  return found === undefined ? {} : metricsIn(found, names);
}

/** The sums of the metrics that have a name of ours in `names`. */
export function metricsIn(
  { data }: Pick<z.output<typeof Insights>, 'data'>,
  names: Readonly<Record<string, string>>,
): Readonly<Record<string, number>> {
  return Object.fromEntries(
    data.flatMap(({ name, values }) => {
      const ours = Object.hasOwn(names, name) ? names[name] : undefined;
      return ours === undefined ? [] : [[ours, values.reduce((sum, { value }) => sum + amountOf(value), 0)]];
    }),
  );
}

/** A metric is a number, or numbers by kind. */
function amountOf(value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, part) => sum + (typeof part === 'number' ? part : 0), 0);
}
