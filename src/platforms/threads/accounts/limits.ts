import type { AccountCall } from '../../call.ts';
import { quotasLeft } from '../../graph/quotas.ts';
import { unclear, unlessRefused } from '../../shared/errors.ts';
import { atProfile } from '../api.ts';

/** Limits per 24 hours: our names, and the prefixes of Threads' field names. */
const POSTS = Object.freeze({ posts: '' });
const KINDS = Object.freeze({ ...POSTS, replies: 'reply_', deletions: 'delete_' });

/** How many posts, replies and deletions are left, as far as the login may read it. */
export async function limits(call: AccountCall): Promise<Readonly<Record<string, number>>> {
  const read = (kinds: Readonly<Record<string, string>>) =>
    quotasLeft((request, schema) => atProfile(call, request, schema), '/threads_publishing_limit', kinds);
  const left = (await unlessRefused(read(KINDS), 'permission_denied')) ?? (await read(POSTS));
  if (Object.keys(left).length === 0) throw unclear();
  return left;
}
