import * as z from 'zod';
import { count } from '../shared/fields.ts';
import { type GraphRequest, listOf } from './api.ts';

const Usage = listOf(z.record(z.string(), z.unknown()));
const Config = z.object({ quota_total: count });

/** How much an account may still publish today; `kinds` maps our names to prefixes of Graph's fields. */
export async function quotasLeft(
  request: (request: GraphRequest, schema: typeof Usage) => Promise<z.output<typeof Usage>>,
  path: string,
  kinds: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, number>>> {
  const fields = Object.values(kinds).map((kind) => `${kind}quota_usage,${kind}config`);
  const { data } = await request({ method: 'GET', path, query: { fields: fields.join(',') } }, Usage);
  const [usage = {}] = data;
  const left = Object.entries(kinds).flatMap(([name, kind]) => {
    const { data: config } = Config.safeParse(usage[`${kind}config`]);
    const used = count.parse(usage[`${kind}quota_usage`]);
    return config ? [[`${name}_remaining`, Math.max(0, config.quota_total - used)]] : [];
  });
  return Object.fromEntries(left) as Record<string, number>;
}
