import type { Authority } from '#kernel/authority.ts';
import type { PageSpan } from '#kernel/pagination.ts';
import { livingBrands } from '../access/brands.ts';
import { livingWorkspaces } from '../access/users.ts';
import { NEVER, type ExportStatus, type NewRow, type Row, type RowPatch } from '../schema/database.ts';
import { hold, includes, statusIs, type Dialect } from '../store/dialect.ts';
import { beyond } from '../store/keyset.ts';
import type { Db } from '../store/tx.ts';

export type ExportRow = Row<'exports'>;
export type ExportPostRow = Row<'export_posts'>;

function visible(db: Db, authority: Authority) {
  const query = db
    .selectFrom('exports')
    .selectAll()
    .where('workspace_id', '=', authority.workspace)
    .where('deleted_at', 'is', null);
  return authority.brands ? query.where('brand_id', 'in', livingBrands(db, authority.brands)) : query;
}

export function findExport(db: Db, authority: Authority, id: string): Promise<ExportRow | undefined> {
  return visible(db, authority).where('id', '=', id).executeTakeFirst();
}

export function listExports(
  db: Db,
  authority: Authority,
  { status }: Readonly<{ status?: ExportStatus | undefined }>,
  { limit, from }: PageSpan,
): Promise<ExportRow[]> {
  let query = visible(db, authority);
  if (status !== undefined) query = query.where('status', '=', status);
  if (from) query = query.where(beyond(['created_at', 'id'], '<', from));
  return query
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute();
}

/** Locks an export until the transaction ends. */
export function holdExport(db: Db, dialect: Dialect, authority: Authority, id: string): Promise<ExportRow | undefined> {
  return hold(dialect, visible(db, authority).where('id', '=', id)).executeTakeFirst();
}

/** Finds an export in any workspace. Only for its own job and for the URLs of its files. */
export function loadExport(db: Db, id: string): Promise<ExportRow | undefined> {
  return db
    .selectFrom('exports')
    .selectAll()
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .where('workspace_id', 'in', livingWorkspaces(db))
    .executeTakeFirst();
}

export function lastExport(db: Db, accountId: string): Promise<ExportRow | undefined> {
  return db
    .selectFrom('exports')
    .selectAll()
    .where('account_id', '=', accountId)
    .where(statusIs('exports', 'pending', 'processing', 'completed'))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export async function insertExport(
  db: Db,
  row: Omit<NewRow<'exports'>, 'status' | 'posts' | 'processed' | 'failures' | 'version' | 'expires_at'>,
): Promise<ExportRow> {
  const values = { status: 'pending', posts: 0, processed: 0, failures: 0, version: 0, expires_at: NEVER } as const;
  return db
    .insertInto('exports')
    .values({ ...row, ...values })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Changes a running export; false if it has changed since it was read. */
export async function patchExport(
  db: Db,
  { id, version }: Pick<ExportRow, 'id' | 'version'>,
  patch: RowPatch<'exports'>,
): Promise<boolean> {
  const result = await db
    .updateTable('exports')
    .set({ ...patch, version: version + 1 })
    .where('id', '=', id)
    .where('version', '=', version)
    .where(statusIs('exports', 'pending', 'processing'))
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export const hasEnded = ({ status }: Pick<ExportRow, 'status'>): boolean =>
  status === 'completed' || status === 'failed';

/** Deletes a locked export. If it is running, its next step finds another version and stops. */
export async function deleteExport(db: Db, row: ExportRow, now: number): Promise<void> {
  await db
    .updateTable('exports')
    .set({
      deleted_at: now,
      expires_at: now,
      version: row.version + 1,
      ...(!hasEnded(row) && { status: 'failed', completed_at: now }),
    })
    .where('id', '=', row.id)
    .execute();
}

export async function insertExportPosts(db: Db, rows: readonly NewRow<'export_posts'>[]): Promise<number> {
  if (rows.length === 0) return 0;
  const added = await db
    .insertInto('export_posts')
    .values([...rows])
    .onConflict((conflict) => conflict.columns(['export_id', 'platform_id']).doNothing())
    .executeTakeFirst();
  return Number(added.numInsertedOrUpdatedRows ?? 0n);
}

export function listExportPosts(db: Db, exportId: string, from: number, limit: number): Promise<ExportPostRow[]> {
  return db
    .selectFrom('export_posts')
    .selectAll()
    .where('export_id', '=', exportId)
    .where('position', '>=', from)
    .orderBy('position')
    .limit(limit)
    .execute();
}

export async function countInsights(db: Db, exportId: string): Promise<number> {
  const { n } = await db
    .selectFrom('export_posts')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('export_id', '=', exportId)
    .where(includes('insight', '"transcript"'))
    .executeTakeFirstOrThrow();
  return n;
}

export async function patchExportPost(
  db: Db,
  { export_id, platform_id }: Pick<ExportPostRow, 'export_id' | 'platform_id'>,
  patch: RowPatch<'export_posts'>,
): Promise<void> {
  await db
    .updateTable('export_posts')
    .set(patch)
    .where('export_id', '=', export_id)
    .where('platform_id', '=', platform_id)
    .execute();
}

/** Deletes up to `limit` posts of expired exports; returns how many. */
export async function sweepExports(db: Db, now: number, limit: number): Promise<number> {
  const due = await withPosts(db).where('expires_at', '<=', now).executeTakeFirst();
  return due ? removePosts(db, due.id, limit) : 0;
}

/** Deletes up to `limit` posts of a deleted export; returns how many. */
export async function removeDeleted(db: Db, id: string, limit: number): Promise<number> {
  const deleted = await withPosts(db).where('id', '=', id).where('deleted_at', 'is not', null).executeTakeFirst();
  return deleted ? removePosts(db, id, limit) : 0;
}

/** Ends an account's exports and erases its name; deletes up to `limit` posts and returns how many. */
export async function eraseExports(db: Db, accountId: string, limit: number): Promise<number> {
  await db
    .updateTable('exports')
    .set((eb) => ({ expires_at: 0, account_name: 'erased', version: eb('version', '+', 1) }))
    .where('account_id', '=', accountId)
    .where('expires_at', '>', 0)
    .execute();
  const left = await withPosts(db).where('account_id', '=', accountId).executeTakeFirst();
  return left ? removePosts(db, left.id, limit) : 0;
}

function withPosts(db: Db) {
  return db
    .selectFrom('exports')
    .select('id')
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('export_posts').select('position').whereRef('export_id', '=', 'exports.id')),
    )
    .limit(1);
}

async function removePosts(db: Db, exportId: string, limit: number): Promise<number> {
  const result = await db
    .deleteFrom('export_posts')
    .where('export_id', '=', exportId)
    .where('platform_id', 'in', (eb) =>
      eb.selectFrom('export_posts').select('platform_id').where('export_id', '=', exportId).limit(limit),
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
