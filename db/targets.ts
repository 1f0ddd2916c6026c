import type { Db } from './tx.ts';
import type { NewRow, Row, RowPatch } from './schema.ts';
import { NEVER } from './schema.ts';
import { claim, type Dialect } from './dialect.ts';

export type TargetRow = Row<'targets'>;
export type StepRow = Row<'steps'>;

/** The targets of some posts, in the order they were named. */
export function listTargets(db: Db, postIds: readonly string[]): Promise<TargetRow[]> {
  if (postIds.length === 0) return Promise.resolve([]);
  return db
    .selectFrom('targets')
    .selectAll()
    .where('post_id', 'in', postIds)
    .orderBy('post_id')
    .orderBy('position')
    .execute();
}

export function loadTarget(db: Db, id: string): Promise<TargetRow | undefined> {
  return db.selectFrom('targets').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function insertTargets(db: Db, rows: readonly NewRow<'targets'>[]): Promise<void> {
  if (rows.length > 0) await db.insertInto('targets').values(rows).execute();
}

export async function deleteTargets(db: Db, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await db.deleteFrom('targets').where('id', 'in', ids).execute();
}

/** Changes a target whatever its state; only where no attempt can be running. */
export async function patchTarget(db: Db, id: string, patch: RowPatch<'targets'>): Promise<void> {
  await db.updateTable('targets').set(patch).where('id', '=', id).execute();
}

/** Changes a target whose lease is still held; false when it was lost, and then nothing may follow. */
export async function patchLeased(db: Db, id: string, token: string, patch: RowPatch<'targets'>): Promise<boolean> {
  const result = await db
    .updateTable('targets')
    .set(patch)
    .where('id', '=', id)
    .where('lease_token', '=', token)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/**
 * Claims targets that are due: their lease is set and their due time moved to its end, so that a worker
 * that dies is noticed by the same index.
 */
export async function claimTargets(
  db: Db,
  dialect: Dialect,
  now: number,
  limit: number,
  lease: Readonly<{ token: string; until: number }>,
): Promise<TargetRow[]> {
  const due = await claim(
    dialect,
    db
      .selectFrom('targets')
      .selectAll()
      .where('status', 'in', ['scheduled', 'publishing'])
      .where('due_at', '<=', now)
      .orderBy('due_at')
      .orderBy('id')
      .limit(limit),
  ).execute();
  if (due.length === 0) return [];
  await db
    .updateTable('targets')
    .set({ lease_token: lease.token, lease_until: lease.until, due_at: lease.until })
    .where(
      'id',
      'in',
      due.map((row) => row.id),
    )
    .execute();
  return due.map((row) => ({ ...row, lease_token: lease.token, lease_until: lease.until, due_at: lease.until }));
}

/** When the next target is due; undefined when none is. */
export async function nextTargetAt(db: Db): Promise<number | undefined> {
  const row = await db
    .selectFrom('targets')
    .select('due_at')
    .where('status', 'in', ['scheduled', 'publishing'])
    .orderBy('due_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return row && row.due_at < NEVER ? row.due_at : undefined;
}

/** A target with the same account and content since `since` that is on its way or out: the post it belongs to. */
export function findDuplicate(
  db: Db,
  accountId: string,
  fingerprint: string,
  since: number,
): Promise<{ post_id: string } | undefined> {
  return db
    .selectFrom('targets')
    .innerJoin('posts', 'posts.id', 'targets.post_id')
    .select('targets.post_id')
    .where('targets.account_id', '=', accountId)
    .where('targets.fingerprint', '=', fingerprint)
    .where('targets.created_at', '>', since)
    .where('targets.status', 'in', ['scheduled', 'publishing', 'published'])
    .where('posts.deleted_at', 'is', null)
    .orderBy('targets.created_at')
    .limit(1)
    .executeTakeFirst();
}

/** How many scheduled posts name an account. */
export async function countScheduled(db: Db, accountIds: readonly string[]): Promise<number> {
  if (accountIds.length === 0) return 0;
  const row = await db
    .selectFrom('targets')
    .select((eb) => eb.fn.count<number>('post_id').distinct().as('n'))
    .where('account_id', 'in', accountIds)
    .where('status', '=', 'scheduled')
    .executeTakeFirstOrThrow();
  return Number(row.n);
}

/** The steps of a target that were sent or done. */
export function listSteps(db: Db, targetId: string): Promise<StepRow[]> {
  return db.selectFrom('steps').selectAll().where('target_id', '=', targetId).execute();
}

/** Writes that a step is about to be sent; one sent before keeps its first time. */
export async function sendStep(
  db: Db,
  targetId: string,
  step: Pick<StepRow, 'name' | 'kind'>,
  now: number,
): Promise<void> {
  await db
    .insertInto('steps')
    .values({ target_id: targetId, ...step, state: 'sent', sent_at: now })
    .onConflict((conflict) => conflict.columns(['target_id', 'name']).doNothing())
    .execute();
}

export async function finishStep(db: Db, targetId: string, name: string, result: unknown, now: number): Promise<void> {
  await db
    .updateTable('steps')
    .set({ state: 'done', result: JSON.stringify(result ?? null), done_at: now })
    .where('target_id', '=', targetId)
    .where('name', '=', name)
    .execute();
}

/** Forgets one step that was sent and whose outcome is settled otherwise. */
export async function clearSent(db: Db, targetId: string): Promise<void> {
  await db.deleteFrom('steps').where('target_id', '=', targetId).where('state', '=', 'sent').execute();
}

/** Forgets the steps of targets whose content changed. */
export async function clearSteps(db: Db, targetIds: readonly string[]): Promise<void> {
  if (targetIds.length > 0) await db.deleteFrom('steps').where('target_id', 'in', targetIds).execute();
}
