import { hold, type Dialect } from '../store/dialect.ts';
import type { Db } from '../store/tx.ts';
import type { Authority } from '#kernel/authority.ts';
import type { NewRow, Row } from '../schema/database.ts';

export type BrandRow = Row<'brands'> & { accounts_count: number };

function visible(db: Db, authority: Authority) {
  const query = db.selectFrom('brands').where('workspace_id', '=', authority.workspace);
  return authority.brands ? query.where('id', 'in', authority.brands) : query;
}

function withCount(db: Db, authority: Authority) {
  return visible(db, authority)
    .selectAll('brands')
    .select((eb) =>
      eb
        .selectFrom('accounts')
        .whereRef('accounts.brand_id', '=', 'brands.id')
        .select((count) => count.fn.countAll<number>().as('n'))
        .as('accounts_count'),
    )
    .$castTo<BrandRow>();
}

export function listBrands(db: Db, authority: Authority): Promise<BrandRow[]> {
  return withCount(db, authority).orderBy('created_at', 'desc').orderBy('id', 'desc').execute();
}

export function findBrand(db: Db, authority: Authority, id: string): Promise<BrandRow | undefined> {
  return withCount(db, authority).where('id', '=', id).executeTakeFirst();
}

/** Returns which of the given brands the caller can see. */
export async function knownBrands(db: Db, authority: Authority, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await visible(db, authority).where('id', 'in', ids).select('id').execute();
  return new Set(rows.map((row) => row.id));
}

/** Brands of a restricted key that still exist. What a deleted brand has left is invisible to the key. */
export function livingBrands(db: Db, ids: readonly string[]) {
  return db.selectFrom('brands').where('id', 'in', ids).select('id');
}

/** Takes one of the plan's brands (`max` -1: unlimited); false if none is left. */
export async function takeBrandSlot(db: Db, workspaceId: string, max: number): Promise<boolean> {
  let query = db
    .updateTable('workspaces')
    .set((eb) => ({ brands_count: eb('brands_count', '+', 1) }))
    .where('id', '=', workspaceId);
  if (max >= 0) query = query.where('brands_count', '<', max);
  const result = await query.executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function freeBrandSlot(db: Db, workspaceId: string): Promise<void> {
  await db
    .updateTable('workspaces')
    .set((eb) => ({ brands_count: eb('brands_count', '-', 1) }))
    .where('id', '=', workspaceId)
    .where('brands_count', '>', 0)
    .execute();
}

export async function insertBrand(db: Db, row: NewRow<'brands'>): Promise<void> {
  await db.insertInto('brands').values(row).execute();
}

/** False if there is no such brand, or the caller cannot see it. */
export async function renameBrand(
  db: Db,
  authority: Authority,
  id: string,
  name: string,
  now: number,
): Promise<boolean> {
  let query = db
    .updateTable('brands')
    .set({ name, updated_at: now })
    .where('workspace_id', '=', authority.workspace)
    .where('id', '=', id);
  if (authority.brands) query = query.where('id', 'in', authority.brands);
  return (await query.executeTakeFirst()).numUpdatedRows > 0n;
}

export async function holdBrand(db: Db, dialect: Dialect, authority: Authority, id: string): Promise<boolean> {
  return (
    (await hold(dialect, visible(db, authority).select('id').where('id', '=', id)).executeTakeFirst()) !== undefined
  );
}

export async function deleteBrand(db: Db, authority: Authority, id: string): Promise<boolean> {
  let query = db.deleteFrom('brands').where('workspace_id', '=', authority.workspace).where('id', '=', id);
  if (authority.brands) query = query.where('id', 'in', authority.brands);
  return (await query.executeTakeFirst()).numDeletedRows > 0n;
}
