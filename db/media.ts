import type { PlanTier } from '../src/kernel/plans.ts';
import { hold, type Dialect } from './dialect.ts';
import type { NewRow, Row, RowPatch } from './schema.ts';
import type { Db, Reach } from './tx.ts';

export type MediaRow = Row<'media'>;

/** Media belong to the workspace: keys limited to brands share them (catalogues §4.3). */
function visible(db: Db, reach: Reach) {
  return db.selectFrom('media').where('workspace_id', '=', reach.workspace);
}

export function findMedia(db: Db, reach: Reach, id: string): Promise<MediaRow | undefined> {
  return visible(db, reach).where('id', '=', id).selectAll().executeTakeFirst();
}

/** The items among the given ids. */
export function findMediaAmong(db: Db, reach: Reach, ids: readonly string[]): Promise<MediaRow[]> {
  if (ids.length === 0) return Promise.resolve([]);
  return visible(db, reach).where('id', 'in', ids).selectAll().execute();
}

/** A media item by its id alone: for signed addresses, which are their own permission. */
export function loadMedia(db: Db, id: string): Promise<MediaRow | undefined> {
  return db.selectFrom('media').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Up to `limit` ready items, newest first, after a position. */
export function listReadyMedia(
  db: Db,
  reach: Reach,
  { from, limit }: Readonly<{ from: Readonly<{ at: number; id: string }> | undefined; limit: number }>,
): Promise<MediaRow[]> {
  let query = visible(db, reach).where('status', '=', 'ready').selectAll();
  if (from) {
    query = query.where((eb) =>
      eb.or([eb('created_at', '<', from.at), eb.and([eb('created_at', '=', from.at), eb('id', '<', from.id)])]),
    );
  }
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute();
}

export async function countReadyMedia(db: Db, reach: Reach): Promise<number> {
  const row = await visible(db, reach)
    .where('status', '=', 'ready')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow();
  return row.n;
}

export async function insertMedia(db: Db, row: NewRow<'media'>): Promise<void> {
  await db.insertInto('media').values(row).execute();
}

/** Moves a pending item on; false when it is not pending any more. */
export async function settleMedia(db: Db, id: string, patch: RowPatch<'media'>): Promise<boolean> {
  const result = await db
    .updateTable('media')
    .set(patch)
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Reads an item and keeps posts from starting to use it until the transaction ends. */
export function holdMedia(db: Db, dialect: Dialect, reach: Reach, id: string): Promise<MediaRow | undefined> {
  return hold(dialect, visible(db, reach).where('id', '=', id).selectAll()).executeTakeFirst();
}

/** The id of a post that uses an item. */
export async function findPostUsing(db: Db, mediaId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('post_media')
    .select('post_id')
    .where('media_id', '=', mediaId)
    .limit(1)
    .executeTakeFirst();
  return row?.post_id;
}

export async function deleteMedia(db: Db, id: string): Promise<void> {
  await db.deleteFrom('media').where('id', '=', id).execute();
}

/** Removes up to `limit` items that waited for their bytes since before `before`; answers their ids. */
export async function deleteStalePending(db: Db, before: number, limit: number): Promise<string[]> {
  const rows = await db
    .deleteFrom('media')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('media as stale')
        .select('stale.id')
        .where('stale.status', '=', 'pending')
        .where('stale.created_at', '<', before)
        .orderBy('stale.created_at')
        .limit(limit),
    )
    .where('status', '=', 'pending')
    .returning('id')
    .execute();
  return rows.map((row) => row.id);
}

/** Which of the given ids are items, of anyone, whose bytes are wanted; those of a failed one are not. */
export async function knownMedia(db: Db, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .selectFrom('media')
    .select('id')
    .where('id', 'in', ids)
    .where('status', '<>', 'failed')
    .execute();
  return new Set(rows.map((row) => row.id));
}

/** What a workspace stores, and the plan that says how much it may. */
export function readStorage(
  db: Db,
  workspaceId: string,
): Promise<{ plan: PlanTier; storage_bytes: number } | undefined> {
  return db.selectFrom('workspaces').select(['plan', 'storage_bytes']).where('id', '=', workspaceId).executeTakeFirst();
}

/** Takes storage by one conditional UPDATE (`max` -1: only counts); false when it would exceed the plan. */
export async function takeStorage(db: Db, workspaceId: string, bytes: number, max: number): Promise<boolean> {
  let query = db
    .updateTable('workspaces')
    .set((eb) => ({ storage_bytes: eb('storage_bytes', '+', bytes) }))
    .where('id', '=', workspaceId);
  if (max >= 0) query = query.where('storage_bytes', '<=', max - bytes);
  return (await query.executeTakeFirst()).numUpdatedRows > 0n;
}

/** Gives the storage of a removed item back. */
export async function giveStorage(db: Db, workspaceId: string, bytes: number): Promise<void> {
  await db
    .updateTable('workspaces')
    .set((eb) => ({ storage_bytes: eb('storage_bytes', '-', bytes) }))
    .where('id', '=', workspaceId)
    .where('storage_bytes', '>=', bytes)
    .execute();
}
