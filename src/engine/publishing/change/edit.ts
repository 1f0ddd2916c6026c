import { movePost, patchPost, usePostMedia, type PostRow } from '#db/posts/posts.ts';
import { NEVER, type MediaRef, type RowPatch, type Overrides } from '#db/schema/database.ts';
import { clearSteps, listSteps } from '#db/posts/steps.ts';
import { deleteTargets, insertTargets, listTargets, patchTarget, type TargetRow } from '#db/posts/targets.ts';
import type { Tx } from '#db/store/tx.ts';
import { authorityOver, type Workspace } from '#kernel/authority.ts';
import { fail } from '#kernel/errors.ts';
import { mayBePublic } from '../attempt/doubt.ts';
import { movedTime, type AddressedTarget } from '../content/addressing.ts';
import { columnsOf, fingerprint, mediaIdsOf, refsOf, type Content } from '../content/content.ts';
import { targetRow } from '../create/rows.ts';
import { postEventFields, logTarget } from '../state/activity.ts';
import { MOVES } from '../state/machine.ts';

/** An edit to store: the whole content, and the targets if they are replaced. */
export type Edit = Readonly<{
  post: PostRow;
  workspace: Workspace;
  content: Content;
  /** The media named in platform options. */
  attached: readonly MediaRef[];
  /** Undefined: the targets stay. */
  targets: readonly AddressedTarget[] | undefined;
  /** Undefined: the time stays; null: the post becomes a draft again. */
  scheduledAt: number | null | undefined;
  /** By how many milliseconds to move the remaining targets that have their own time. */
  shift: number;
  hidden: boolean | undefined;
  changed: readonly string[];
}>;

/** Refuses to edit a post of which a part is or may be public, as publishing again would duplicate it. */
async function refuseHalfPublic(tx: Tx, targets: readonly TargetRow[]): Promise<void> {
  for (const target of targets) {
    if (target.status !== 'failed' || !mayBePublic(await listSteps(tx.db, target.id))) continue;
    fail('post.state_invalid', {
      message: 'A part of this post is or may be public.',
      next: 'Call retry_post, or delete the post with delete_post and create a new one.',
      meta: { id: target.post_id, status: 'failed' },
    });
  }
}

/** Stores an edit and emits its event; false if the post was claimed or changed since it was read. */
export async function editPost(tx: Tx, edit: Edit, now: number): Promise<boolean> {
  const { post, content, scheduledAt, changed } = edit;
  const timing = scheduledAt === null ? 'cancel' : 'schedule';
  const move = scheduledAt === undefined ? 'edit' : timing;
  const status = { edit: post.status, cancel: 'draft', schedule: 'scheduled' } as const;
  const at = scheduledAt === undefined ? post.scheduled_at : scheduledAt;
  const patch: RowPatch<'posts'> = {
    status: status[move],
    ...columnsOf(content),
    scheduled_at: at,
    sort_at: at ?? post.created_at,
    ...(edit.hidden !== undefined && { hidden: edit.hidden ? (1 as const) : (0 as const) }),
    updated_at: now,
  };
  if (!(await movePost(tx.db, post, MOVES[move], patch))) return false;
  const old = await listTargets(tx.db, [post.id]);
  if (post.status === 'failed') await refuseHalfPublic(tx, old);
  if (move === 'schedule' && post.charged === null) {
    await patchPost(tx.db, post.id, { charged: await tx.charge('posts', edit.workspace, 1) });
  }
  if (move === 'cancel' && post.charged !== null) {
    await tx.refund('posts', post.workspace_id, post.charged, 1);
    await patchPost(tx.db, post.id, { charged: null });
  }
  await replaceTargets(tx, edit, old, { status: status[move], at }, now);
  if (move === 'cancel') {
    for (const target of old) await logTarget(tx, target, now, { action: 'cancel', status: 'success' });
  }
  const { fields, about } = postEventFields(post, await listTargets(tx.db, [post.id]));
  await tx.emit({
    ...about,
    name: 'post.updated',
    data: { ...fields, status: status[move], changed_fields: changed },
    summary: `Post changed: ${changed.join(', ')}`,
  });
  tx.signal('targets');
  return true;
}

type Wanted = Readonly<{
  accountId: string;
  pageId: string | undefined;
  scheduledAt: number | undefined;
  overrides: Overrides;
  /** Undefined for an unchanged target. */
  addressed?: AddressedTarget;
}>;

function wantedOf(old: readonly TargetRow[], { targets, shift }: Pick<Edit, 'targets' | 'shift'>): readonly Wanted[] {
  if (targets === undefined) {
    return old.map((row) => ({
      accountId: row.account_id,
      pageId: row.page_id ?? undefined,
      scheduledAt: movedTime(row.scheduled_at, shift),
      overrides: row.overrides,
    }));
  }
  return targets.map((addressed) => ({
    accountId: addressed.account.id,
    pageId: addressed.page_id,
    scheduledAt: addressed.scheduled_at,
    overrides: addressed.overrides,
    addressed,
  }));
}

async function replaceTargets(
  tx: Tx,
  edit: Edit,
  old: readonly TargetRow[],
  { status, at }: Readonly<{ status: PostRow['status']; at: number | null }>,
  now: number,
): Promise<void> {
  const { post, content, attached } = edit;
  const scheduled = status === 'scheduled';
  const keyOf = (accountId: string, pageId: string | null | undefined) => JSON.stringify([accountId, pageId ?? null]);
  const kept = new Map(old.map((row) => [keyOf(row.account_id, row.page_id), row]));
  const wanted = wantedOf(old, edit);
  for (const [position, target] of wanted.entries()) {
    const { accountId, pageId, scheduledAt, overrides } = target;
    const key = keyOf(accountId, pageId);
    const row = kept.get(key);
    kept.delete(key);
    if (row) {
      const state = scheduled ? ('scheduled' as const) : ('pending' as const);
      const due = scheduled ? (scheduledAt ?? at ?? now) : NEVER;
      await patchTarget(tx.db, row.id, {
        position,
        overrides,
        scheduled_at: scheduledAt ?? null,
        fingerprint: fingerprint(content, accountId, pageId, overrides),
        ...(status !== 'failed' && { status: state, due_at: due, error: null, repeats: 0 }),
      });
      await clearSteps(tx.db, [row.id]);
    } else {
      const begin = { intent: scheduled ? ('schedule' as const) : ('draft' as const), position, now, token: undefined };
      await insertTargets(tx.db, [targetRow({ ...post, scheduled_at: at }, content, target.addressed!, begin)]);
    }
  }
  await deleteTargets(
    tx.db,
    [...kept.values()].map(({ id }) => id),
  );
  const refs = refsOf(
    content,
    wanted.map(({ overrides }) => overrides),
  );
  await usePostMedia(tx.db, tx.dialect, authorityOver(post.workspace_id), post.id, mediaIdsOf([...refs, ...attached]));
}
