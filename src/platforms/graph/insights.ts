import * as z from 'zod';
import { isRefused, unlessRefused } from '../shared/errors.ts';
import { type GraphRequest, listOf } from './api.ts';

export const Insights = listOf(
  z.object({ name: z.string(), values: z.array(z.object({ value: z.unknown() })).catch([]) }),
);

/** Metrics that keep Graph's names. */
export const sameNames = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, name]));

type Read = (request: GraphRequest, schema: typeof Insights) => Promise<z.output<typeof Insights>>;

/** Reads metrics; `names` maps Graph's names to ours. Empty if the object or the login has no metrics. */
export async function readInsights(
  request: Read,
  thing: string,
  names: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, number>>> {
  const read = insightsOf(request, thing, Object.keys(names));
  const found = await unlessRefused(read, 'not_found', 'permission_denied', 'invalid_request');
  return found === undefined ? {} : metricsIn(found, names);
}

/** Reads metrics. Graph refuses all if the object lacks one, so the others are requested again. */
export async function insightsOf(
  request: Read,
  thing: string,
  metrics: readonly string[],
): Promise<Pick<z.output<typeof Insights>, 'data'>> {
  const query = { metric: metrics.join(',') };
  try {
    return await request({ method: 'GET', path: '/{thing}/insights', ids: { thing }, query }, Insights);
  } catch (error) {
    if (!isRefused(error, 'invalid_request') || metrics.length === 1) throw error;
    const groups = withoutLacking(metrics, error.upstream ?? '');
    if (groups.length === 0) throw error;
    const requested = groups.map((group) => unlessRefused(insightsOf(request, thing, group), 'invalid_request'));
    const found = (await Promise.all(requested)).filter((one) => one !== undefined);
    if (found.length === 0) throw error;
    return { data: found.flatMap(({ data }) => data) };
  }
}

/** The groups to request after a refusal: all metrics it does not name, or each alone if it names none. */
function withoutLacking(metrics: readonly string[], why: string): readonly (readonly string[])[] {
  const counted = new Set([...why.matchAll(/\bmetric\[(\d+)\]/g)].map(([, at]) => metrics[Number(at)]));
  const lacking = counted.size > 0 ? counted : new Set(why.match(/\w+/g));
  const left = metrics.filter((metric) => !lacking.has(metric));
  if (left.length < metrics.length) return left.length === 0 ? [] : [left];
  return /\bmetric\b/i.test(why) ? metrics.map((metric) => [metric]) : [];
}

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

/** The value of a metric, which is a number or an object with one number per kind. */
function amountOf(value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, part) => sum + (typeof part === 'number' ? part : 0), 0);
}
