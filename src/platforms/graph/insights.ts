import * as z from 'zod';
import type { MeasuredPost, PostMetrics } from '../posts.ts';
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

/** Concurrency limit of requests for single posts. */
const AT_ONCE = 5;

/** Metrics of posts that are asked for one by one; posts without an answer are absent. */
export async function metricsOfEach(
  posts: readonly MeasuredPost[],
  read: (post: MeasuredPost) => Promise<PostMetrics | undefined>,
): Promise<ReadonlyMap<string, PostMetrics>> {
  const found = new Map<string, PostMetrics>();
  for (let at = 0; at < posts.length; at += AT_ONCE) {
    const some = posts.slice(at, at + AT_ONCE);
    const answers = await Promise.all(some.map(read));
    for (const [index, { id }] of some.entries()) if (answers[index]) found.set(id, answers[index]);
  }
  return found;
}
