import { movePost, patchPost, type PostRow } from '../../../../db/posts/posts.ts';
import { listTargets, patchTarget } from '../../../../db/posts/targets.ts';
import type { Tx } from '../../../../db/store/tx.ts';
import type { Workspace } from '../../../kernel/authority.ts';
import { randomHex } from '../../../kernel/ids.ts';
import { LEASE_MS } from '../../jobs/lease.ts';
import { MOVES } from '../state/machine.ts';

/**
 * Starts publishing a draft or scheduled post now, all of its targets whatever times of their own they have; answers
 * their lease, undefined when the post was claimed or changed meanwhile. A scheduled post has paid already.
 */
export async function beginPublish(
  tx: Tx,
  post: PostRow,
  workspace: Workspace,
  now: number,
): Promise<string | undefined> {
  if (!(await movePost(tx.db, post, MOVES.publish, { status: 'publishing', updated_at: now }))) return undefined;
  if (post.charged === null) await patchPost(tx.db, post.id, { charged: await tx.charge('posts', workspace, 1) });
  const token = randomHex(16);
  const until = now + LEASE_MS;
  for (const target of await listTargets(tx.db, [post.id])) {
    await patchTarget(tx.db, target.id, {
      status: 'publishing',
      started_at: now,
      attempts: target.attempts + 1,
      lease_token: token,
      lease_until: until,
      due_at: until,
    });
  }
  return token;
}
