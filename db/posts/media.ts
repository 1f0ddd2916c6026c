import type { ExpressionBuilder } from 'kysely';
import { livingWorkspaces } from '../access/users.ts';
import type { PageSpan } from '#kernel/pagination.ts';
import { hold, statusIs, type Dialect } from '../store/dialect.ts';
import type { Database, NewRow, Row, RowPatch } from '../schema/database.ts';
import type { Db } from '../store/tx.ts';
import type { Authority } from '#kernel/authority.ts';

export type MediaRow = Row<'media'>;

/** Media belong to the whole workspace, so keys limited to some brands share them. */
function visible(db: Db, authority: Authority) {
  return db.selectFrom('media').where('workspace_id', '=', authority.workspace);
}

export function findMedia(db: Db, authority: Authority, id: string): Promise<MediaRow | undefined> {
  return visible(db, authority).where('id', '=', id).selectAll().executeTakeFirst();
}

export function findMediaAmong(db: Db, authority: Authority, ids: readonly string[]): Promise<MediaRow[]> {
  if (ids.length === 0) return Promise.resolve([]);
  return visible(db, authority).where('id', 'in', ids).selectAll().execute();
}

/** Finds an item in any workspace. Only for signed URLs, which are a permission in themselves. */
export function loadMedia(db: Db, id: string): Promise<MediaRow | undefined> {
  return db
    .selectFrom('media')
    .selectAll()
    .where('id', '=', id)
    .where('workspace_id', 'in', livingWorkspaces(db))
    .executeTakeFirst();
}

export function listReadyMedia(
  db: Db,
  authority: Authority,
  ids: readonly string[] | undefined,
  { limit, from }: PageSpan,
): Promise<MediaRow[]> {
  let query = visible(db, authority).where('status', '=', 'ready').selectAll();
  if (ids) query = query.where('id', 'in', ids);
  if (from) {
    query = query.where((eb) =>
      eb.or([eb('created_at', '<', from.at), eb.and([eb('created_at', '=', from.at), eb('id', '<', from.id)])]),
    );
  }
  return query
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute();
}

export async function countReadyMedia(db: Db, authority: Authority): Promise<number> {
  const row = await visible(db, authority)
    .where('status', '=', 'ready')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow();
  return row.n;
}

export async function insertMedia(db: Db, row: NewRow<'media'>): Promise<void> {
  await db.insertInto('media').values(row).execute();
}

/** False if the item is no longer pending. */
export async function settleMedia(db: Db, id: string, patch: RowPatch<'media'>): Promise<boolean> {
  const result = await db
    .updateTable('media')
    .set(patch)
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Locks an item, so that no post can start to use it. */
export function holdMedia(db: Db, dialect: Dialect, authority: Authority, id: string): Promise<MediaRow | undefined> {
  return hold(dialect, visible(db, authority).where('id', '=', id).selectAll()).executeTakeFirst();
}

/** Locks items in a fixed order, so that transactions cannot deadlock. */
export async function holdMediaAmong(
  db: Db,
  dialect: Dialect,
  authority: Authority,
  ids: readonly string[],
): Promise<readonly string[]> {
  const rows = await hold(dialect, visible(db, authority).where('id', 'in', ids).select('id').orderBy('id')).execute();
  return rows.map(({ id }) => id);
}

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

/** Deletes some uploads that are pending since before `before`. Returns where their bytes may be. */
export async function deleteStalePending(
  db: Db,
  before: number,
  limit: number,
): Promise<Pick<MediaRow, 'id' | 'sha256'>[]> {
  const rows = await db
    .deleteFrom('media')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('media as stale')
        .select('stale.id')
        .where(statusIs('stale', 'pending'))
        .where('stale.created_at', '<', before)
        .orderBy('stale.created_at')
        .limit(limit),
    )
    .where('status', '=', 'pending')
    .returning(['id', 'sha256', 'workspace_id', 'held_bytes'])
    .execute();
  const sums = new Map<string, number>();
  for (const row of rows) sums.set(row.workspace_id, (sums.get(row.workspace_id) ?? 0) + row.held_bytes);
  // In a fixed order, so that transactions cannot deadlock.
  for (const workspace of [...sums.keys()].toSorted()) await giveStorage(db, workspace, { held: sums.get(workspace) });
  return rows.map(({ id, sha256 }) => ({ id, sha256 }));
}

/** The hashes of bytes that must be kept, for ids in any workspace. The bytes of failed items are not needed. */
export async function knownMedia(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, string | null>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('media')
    .select(['id', 'sha256'])
    .where('id', 'in', ids)
    .where('status', '<>', 'failed')
    .execute();
  return new Map(rows.map(({ id, sha256 }) => [id, sha256]));
}

export type Storage = Pick<Row<'workspaces'>, 'plan' | 'storage_bytes' | 'pending_bytes'>;

/** The stored and reserved bytes of a workspace, and its plan. */
export function readStorage(db: Db, workspaceId: string): Promise<Storage | undefined> {
  return db
    .selectFrom('workspaces')
    .select(['plan', 'storage_bytes', 'pending_bytes'])
    .where('id', '=', workspaceId)
    .executeTakeFirst();
}

/** Turns an item's reservation into stored bytes in one UPDATE (`max` -1: unlimited); false if the plan has no room. */
export async function takeStorage(
  db: Db,
  workspaceId: string,
  { bytes, held = 0 }: Readonly<{ bytes: number; held?: number }>,
  max: number,
): Promise<boolean> {
  let query = db
    .updateTable('workspaces')
    .set((eb) => ({
      storage_bytes: eb('storage_bytes', '+', bytes),
      pending_bytes: eb('pending_bytes', '-', held),
    }))
    .where('id', '=', workspaceId);
  if (max >= 0) query = query.where(({ eb }) => eb(bothOf(eb), '<=', max - bytes + held));
  return (await query.executeTakeFirst()).numUpdatedRows > 0n;
}

/** Frees the bytes that a deleted item stored or had reserved. */
export async function giveStorage(
  db: Db,
  workspaceId: string,
  { bytes = 0, held = 0 }: Readonly<{ bytes?: number; held?: number }>,
): Promise<void> {
  if (bytes === 0 && held === 0) return;
  await db
    .updateTable('workspaces')
    .set((eb) => ({
      storage_bytes: eb('storage_bytes', '-', bytes),
      pending_bytes: eb('pending_bytes', '-', held),
    }))
    .where('id', '=', workspaceId)
    .where('storage_bytes', '>=', bytes)
    .where('pending_bytes', '>=', held)
    .execute();
}

type Item = Pick<MediaRow, 'id' | 'workspace_id'>;
/** `all` limits stored and reserved bytes together, `pending` only the reserved ones; -1 is unlimited. */
export type HoldLimits = Readonly<{ all: number; pending: number }>;

/** Reserves storage for a pending item and notes it in the item's row. After `full`, roll back. */
export async function holdStorage(
  db: Db,
  item: Item,
  bytes: number,
  limits: HoldLimits,
): Promise<'held' | 'gone' | 'full'> {
  if (!(await changeHeld(db, item.id, bytes))) return 'gone';
  let query = db
    .updateTable('workspaces')
    .set((eb) => ({ pending_bytes: eb('pending_bytes', '+', bytes) }))
    .where('id', '=', item.workspace_id);
  if (limits.all >= 0) query = query.where(({ eb }) => eb(bothOf(eb), '<=', limits.all - bytes));
  if (limits.pending >= 0) query = query.where('pending_bytes', '<=', limits.pending - bytes);
  return (await query.executeTakeFirst()).numUpdatedRows > 0n ? 'held' : 'full';
}

export type Came = Readonly<{ size: number; sha256: string }>;

/** Ends an upload and its reservation; `taken` if other bytes arrived first, `gone` if it is no longer pending. */
export async function endUpload(
  db: Db,
  item: Item,
  held: number,
  came: Came | undefined,
): Promise<'ended' | 'taken' | 'gone'> {
  const named = came !== undefined && (await nameBytes(db, item.id, came.sha256));
  const unused = named ? held - came.size : held;
  if (!(await changeHeld(db, item.id, -unused))) return 'gone';
  await giveStorage(db, item.workspace_id, { held: unused });
  return came === undefined || named ? 'ended' : 'taken';
}

async function nameBytes(db: Db, id: string, sha256: string): Promise<boolean> {
  const result = await db
    .updateTable('media')
    .set({ sha256 })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .where('sha256', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

async function changeHeld(db: Db, id: string, by: number): Promise<boolean> {
  const result = await db
    .updateTable('media')
    .set((eb) => ({ held_bytes: eb('held_bytes', '+', by) }))
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .where('held_bytes', '>=', -by)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

function bothOf(eb: ExpressionBuilder<Database, 'workspaces'>) {
  return eb('storage_bytes', '+', eb.ref('pending_bytes'));
}
