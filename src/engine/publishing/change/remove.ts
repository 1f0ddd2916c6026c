import { deletePost, holdPost, patchPost, type PostRow } from '#db/posts/posts.ts';
import { NEVER } from '#db/schema/database.ts';
import {
  cancelIdle,
  deleteTargets,
  listTargets,
  patchTarget,
  stopFollowUps,
  type TargetRow,
} from '#db/posts/targets.ts';
import type { Tx } from '#db/store/tx.ts';
import type { Call } from '#call/context.ts';
import { sentences } from '#kernel/envelope.ts';
import { PlatformError } from '#platforms/errors.ts';
import { reportedBy } from '#platforms/refusal.ts';
import { concludePost, refundUnspent } from '../attempt/conclude.ts';
import { pauseFollowUps, resumeFollowUps, withoutPending } from '../attempt/follow-up.ts';
import { refuseUnseen, stateInvalid } from '../read/lookup.ts';
import { postEventFields, logTarget } from '../state/activity.ts';
import { isGone, isPublic, statusOf } from '../state/machine.ts';
import { isDown, mayPass, type Takedown } from './takedown.ts';

/** How long after a deletion began its job resumes it, in case the process died. */
const TAKE_UP_MS = 60_000;
const CONCLUDED: ReadonlySet<string> = new Set(['published', 'partial', 'failed']);
const LOGGED = { deleted: 'success', failed: 'failed', not_supported: 'skipped' } as const;

/** Logs where copies stay public, as the log outlives the post. */
async function logTakedown(tx: Tx, takedown: Takedown, now: number): Promise<void> {
  const { target, outcome, message, request, error: thrown } = takedown;
  if (outcome === 'skipped') return;
  const stays = !isDown(takedown) && target.permalink !== null ? `It stays at ${target.permalink}` : '';
  const error = message === null ? undefined : sentences(message, stays);
  const reported = thrown instanceof PlatformError ? reportedBy(thrown) : undefined;
  await logTarget(tx, target, now, { action: 'unpublish', status: LOGGED[outcome], error, reported, ...request });
}

export type Begun = Readonly<{
  /** Targets of which nothing was sent, so nothing of them becomes public. */
  cancelled: readonly TargetRow[];
  /** Targets still being published; they are taken down once that ends, if their platform supports it. */
  flying: readonly TargetRow[];
  /** Targets to take down now. */
  rest: readonly TargetRow[];
}>;

/** Cancels what can still be cancelled, and returns the rest. */
async function cancelWaiting(tx: Tx, targets: readonly TargetRow[], now: number): Promise<Begun> {
  const cancelled: TargetRow[] = [];
  const flying: TargetRow[] = [];
  const rest: TargetRow[] = [];
  for (const target of targets.filter(({ status }) => !isGone(status))) {
    if (target.status === 'published' || target.status === 'failed') rest.push(target);
    // An attempt has begun and may have left something public, which only its next step can find out.
    else if (!(await cancelIdle(tx.db, target.id))) flying.push(target);
    else {
      cancelled.push(target);
      if (target.status !== 'pending') await logTarget(tx, target, now, { action: 'cancel', status: 'success' });
    }
  }
  return { cancelled, flying, rest };
}

/** A post by its id, with the version that a person approved, if one did. */
type Named = Readonly<{ id: string }> & Pick<Call, 'seen'>;

/** Locks a post that is to be removed; undefined if it was deleted. */
async function holdLiving(tx: Tx, { id }: Named): Promise<PostRow | undefined> {
  const post = await holdPost(tx.db, id);
  return post?.deleted_at === null ? post : undefined;
}

/** Deletes a post: clients no longer see it, but its row and job stay until nothing of it is public. */
export async function beginRemoval(tx: Tx, named: Named, now: number): Promise<Begun | undefined> {
  const post = await holdLiving(tx, named);
  if (!post) return undefined;
  refuseUnseen(post, named.seen);
  const targets = await listTargets(tx.db, [post.id]);
  const begun = await cancelWaiting(tx, targets, now);
  const cancelled = new Set(begun.cancelled);
  await refundUnspent(
    tx,
    post,
    targets.filter((target) => !cancelled.has(target)),
  );
  const { fields, about } = postEventFields(post, targets);
  await tx.emit({
    ...about,
    name: 'post.deleted',
    data: { ...fields, was_status: post.status },
    summary: `Post deleted (was ${post.status})`,
  });
  if (begun.flying.length + begun.rest.length === 0) {
    await deletePost(tx.db, post.id);
    return begun;
  }
  await patchPost(tx.db, post.id, { deleted_at: now });
  const rest = begun.rest.map(({ id }) => id);
  await stopFollowUps(tx.db, rest, NEVER);
  await tx.enqueue({ kind: 'take_down', key: post.id, runAt: now + TAKE_UP_MS });
  return begun;
}

/** The targets of a deleted post that still have to be taken down. */
export function leftBehind(targets: readonly TargetRow[]): readonly TargetRow[] {
  return targets.filter(({ status }) => status === 'published' || status === 'failed');
}

/** Stores the takedowns of a deleted post; false while some remain. `patient` keeps those that may succeed later. */
export async function finishRemoval(
  tx: Tx,
  postId: string,
  takedowns: readonly Takedown[],
  { now, patient }: Readonly<{ now: number; patient: boolean }>,
): Promise<boolean> {
  const post = await holdPost(tx.db, postId);
  if (!post || post.deleted_at === null) return true;
  const left = new Set(leftBehind(await listTargets(tx.db, [postId])).map(({ id }) => id));
  for (const takedown of takedowns) {
    const { target } = takedown;
    if (!left.has(target.id) || (patient && mayPass(takedown))) continue;
    await logTakedown(tx, takedown, now);
    await patchTarget(tx.db, target.id, { status: 'unpublished' });
  }
  const after = await listTargets(tx.db, [postId]);
  if (after.some(({ status }) => !isGone(status))) return false;
  await deletePost(tx.db, postId);
  return true;
}

/** Starts taking down targets of a post that stays, and pauses their follow-ups. False if the post was deleted. */
export async function beginTakedown(
  tx: Tx,
  named: Named,
  targets: readonly TargetRow[],
  now: number,
): Promise<boolean> {
  const post = await holdLiving(tx, named);
  if (!post) return false;
  refuseUnseen(post, named.seen);
  await pauseFollowUps(tx, targets, now);
  return true;
}

/** Starts removing the named targets; returns `all` if no other would remain, undefined if the post was deleted. */
export async function beginTargetRemoval(
  tx: Tx,
  named: Named,
  isNamed: (target: TargetRow) => boolean,
  now: number,
): Promise<Begun | 'all' | undefined> {
  const post = await holdLiving(tx, named);
  if (!post) return undefined;
  const live = (await listTargets(tx.db, [post.id])).filter(({ status }) => !isGone(status));
  if (live.every(isNamed)) return 'all';
  // If none of them is left, an earlier attempt removed them, and that attempt changed the post.
  if (live.some(isNamed)) refuseUnseen(post, named.seen);
  const begun = await cancelWaiting(tx, live.filter(isNamed), now);
  if (begun.flying.length > 0) {
    stateInvalid(post, 'A target of this platform is being published; wait until it is final.');
  }
  await deleteTargets(
    tx.db,
    begun.cancelled.map(({ id }) => id),
  );
  if (post.status === 'publishing') await concludePost(tx, post, now);
  await pauseFollowUps(tx, begun.rest, now);
  return begun;
}

/** Emits one event if everything public was taken down (`account_id` is null), else one for each account. */
async function emitUnpublished(
  tx: Tx,
  post: PostRow,
  targets: readonly TargetRow[],
  down: readonly TargetRow[],
): Promise<void> {
  const published = targets.filter(isPublic);
  const takenDown =
    down.length === published.length
      ? new Map([[null, down]])
      : Map.groupBy<string | null, TargetRow>(down, ({ account_id }) => account_id);
  for (const [account_id, gone] of takenDown) {
    const { fields, about } = postEventFields(post, gone);
    await tx.emit({
      ...about,
      name: 'post.unpublished',
      data: {
        ...fields,
        account_id,
        account_ids: gone.map((target) => target.account_id),
        unpublished_count: gone.length,
      },
      summary: `Post taken down from ${gone.length} of its targets`,
    });
  }
}

/** Stores the takedowns of a post that stays; deletes the post if it has no targets left. */
export async function recordTakedowns(
  tx: Tx,
  postId: string,
  takedowns: readonly Takedown[],
  now: number,
): Promise<void> {
  const post = await holdPost(tx.db, postId);
  if (!post || post.deleted_at !== null) return;
  const before = await listTargets(tx.db, [postId]);
  for (const takedown of takedowns) await logTakedown(tx, takedown, now);
  const takenDown = new Set(takedowns.filter(isDown).map(({ target }) => target.id));
  const down = before.filter((target) => takenDown.has(target.id) && isPublic(target));
  for (const target of down) {
    const ended = { lease_token: null, lease_until: 0, due_at: NEVER } as const;
    const patch = { ...ended, status: 'unpublished', metadata: withoutPending(target) } as const;
    await patchTarget(tx.db, target.id, patch);
  }
  const failed = before.filter((target) => takenDown.has(target.id) && target.status === 'failed' && !isPublic(target));
  await deleteTargets(
    tx.db,
    failed.map(({ id }) => id),
  );
  const takenOn = new Set(takedowns.map(({ target }) => target.id));
  const stays = before.filter(({ id }) => takenOn.has(id) && !takenDown.has(id));
  await resumeFollowUps(tx, stays, now);
  if (down.length > 0) await emitUnpublished(tx, post, before, down);
  const left = (await listTargets(tx.db, [postId])).map(({ status }) => status);
  if (left.every(isGone)) await deletePost(tx.db, postId);
  // If nothing was taken down, the post stays as it was, so a person's approval remains valid.
  else if (down.length + failed.length > 0 && CONCLUDED.has(post.status)) {
    await patchPost(tx.db, postId, { status: statusOf(left), updated_at: now });
  }
}
