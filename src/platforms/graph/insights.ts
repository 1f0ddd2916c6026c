import * as z from 'zod';
import { listOf } from './api.ts';

/** Insights of an object: each metric with its values. */
export const Insights = listOf(
  z.object({ name: z.string(), values: z.array(z.object({ value: z.unknown() })).catch([]) }),
);

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
