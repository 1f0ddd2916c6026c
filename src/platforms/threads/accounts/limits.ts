import * as z from 'zod';
import type { AccountCall } from '../../call.ts';
import { listOf } from '../../graph/api.ts';
import { unclear, unlessRefused } from '../../shared/errors.ts';
import { count } from '../../shared/fields.ts';
import { atProfile } from '../api.ts';

/** What is limited in 24 hours: our name, and the beginning of Threads' names. */
const KINDS = Object.freeze({ posts: '', replies: 'reply_', deletions: 'delete_' });
const Usage = listOf(z.record(z.string(), z.unknown()));
const Config = z.object({ quota_total: count });

/** How many posts, replies and deletions the profile has left, as far as its login may know. */
export async function limits(call: AccountCall): Promise<Readonly<Record<string, number>>> {
  const read = (kinds: readonly string[]) => {
    const fields = kinds.map((kind) => `${kind}quota_usage,${kind}config`).join(',');
    return atProfile(call, { method: 'GET', path: '/threads_publishing_limit', query: { fields } }, Usage);
  };
  const all = await unlessRefused(read(Object.values(KINDS)), 'permission_denied');
  const [usage = {}] = (all ?? (await read([KINDS.posts]))).data;
  const left = Object.entries(KINDS).flatMap(([name, kind]) => {
    const { data: config } = Config.safeParse(usage[`${kind}config`]);
    const used = count.parse(usage[`${kind}quota_usage`]);
    return config ? [[`${name}_remaining`, Math.max(0, config.quota_total - used)]] : [];
  });
  if (left.length === 0) throw unclear();
  return Object.fromEntries(left) as Record<string, number>;
}
