import { loadAliases, renamePost } from '#db/inbox/aliases.ts';
import type { JsonObject } from '#db/schema/column.ts';
import type { Store } from '#db/store/store.ts';
import {
  loadTarget,
  patchLeased,
  patchTarget,
  stopFollowUps,
  takeFollowUp,
  type TargetRow,
} from '#db/posts/targets.ts';
import { NEVER, type RowPatch } from '#db/schema/database.ts';
import type { Tx } from '#db/store/tx.ts';
import type { Clock } from '#kernel/clock.ts';
import type { Done, Published, Step } from '#platforms/posts.ts';
import { LEASE_MS } from '../../jobs/lease.ts';

/** The least time between two checks of a target that another worker is publishing. */
const AGAIN_MS = 1000;

/** The columns of a target for which nothing is left to do. */
const OVER: RowPatch<'targets'> = Object.freeze({
  lease_token: null,
  lease_until: 0,
  due_at: NEVER,
  error: null,
  repeats: 0,
});

type FollowUpDeps = Readonly<{
  store: Store;
  clock: Clock;
  runTarget(id: string, token: string): Promise<void>;
}>;

/** The job `follow_up_post`: resumes optional steps such as a first comment after a wait or a crash. */
export function makeFollowUp({ store, clock, runTarget }: FollowUpDeps) {
  return async function followUp(targetId: string): Promise<void | { again: number }> {
    const now = clock.now();
    const lease = { token: store.process.newToken(), until: now + LEASE_MS };
    if (await store.write((tx) => takeFollowUp(tx.db, targetId, lease, now))) await runTarget(targetId, lease.token);
    const target = await loadTarget(store.db, targetId);
    if (target?.status !== 'published' || target.due_at === NEVER) return undefined;
    return { again: Math.max(target.due_at - clock.now(), AGAIN_MS) };
  };
}

export function withOutcome(published: Published, steps: readonly Step[], done: Done): Published {
  const comment = steps.find(({ optional }) => optional === 'first_comment');
  if (comment === undefined) return published;
  const result = done[comment.name] as object | null | undefined;
  const ended = result && 'refused' in result ? 'failed' : 'published';
  const status = result === undefined ? 'pending' : ended;
  return { ...published, metadata: { ...published.metadata, first_comment_status: status } };
}

/** Stores what is known of a published target, and whether steps remain; false if the lease was lost. */
export async function recordFollowUp(
  tx: Tx,
  { id, account_id }: Pick<TargetRow, 'id' | 'account_id'>,
  token: string,
  { published, isOver }: Readonly<{ published: Published; isOver: boolean }>,
): Promise<boolean> {
  const target = await loadTarget(tx.db, id);
  if (target === undefined || target.platform_post_id === null) return false;
  const { permalink, metadata } = published;
  // A webhook may have named the post by another id since, which makes this one an alias.
  const aliases = await loadAliases(tx.db, tx.dialect, account_id, [published.platform_post_id]);
  const named = aliases.find(({ thing }) => thing === 'post');
  const platform_post_id = named?.platform_id ?? published.platform_post_id;
  const patch = {
    platform_post_id,
    permalink: permalink ?? target.permalink,
    metadata: { ...target.metadata, ...metadata },
    ...(isOver && OVER),
  };
  if (!(await patchLeased(tx.db, id, token, patch))) return false;
  if (platform_post_id !== target.platform_post_id) {
    const account = { id: account_id, workspace_id: target.workspace_id };
    await renamePost(tx.db, account, target.platform_post_id, platform_post_id);
  }
  return true;
}

/** Ends the follow-ups of a target and records why; false if the lease was lost. */
export async function endFollowUp(tx: Tx, id: string, token: string, why: string): Promise<boolean> {
  const target = await loadTarget(tx.db, id);
  if (target === undefined) return false;
  const metadata = target.metadata;
  const isPending = metadata['first_comment_status'] === 'pending';
  const outcome = { first_comment_status: 'failed', first_comment_error: why };
  return patchLeased(tx.db, id, token, {
    ...OVER,
    ...(isPending && { metadata: { ...metadata, ...outcome } }),
  });
}

/** The metadata of a target that was taken down, without the status of a first comment that was still pending. */
export function withoutPending({ metadata }: Pick<TargetRow, 'metadata'>): JsonObject {
  const { first_comment_status: status, ...rest } = metadata;
  return status === 'pending' ? rest : metadata;
}

/** Pauses the follow-ups of targets for a takedown; a job resumes them if the takedown stores no result. */
export async function pauseFollowUps(tx: Tx, targets: readonly TargetRow[], now: number): Promise<void> {
  const until = now + LEASE_MS;
  const ids = targets.map(({ id }) => id);
  for (const id of await stopFollowUps(tx.db, ids, until)) {
    await tx.enqueue({ kind: 'follow_up_post', key: id, runAt: until });
  }
}

/** Resumes the follow-ups that were paused for a takedown, if their targets are still public. */
export async function resumeFollowUps(tx: Tx, targets: readonly TargetRow[], now: number): Promise<void> {
  for (const { id, status, due_at, lease_token } of targets) {
    if (status !== 'published' || due_at === NEVER || lease_token !== null) continue;
    await patchTarget(tx.db, id, { due_at: now });
    await tx.enqueue({ kind: 'follow_up_post', key: id, runAt: now });
  }
}
