import type { Authority } from '#kernel/authority.ts';
import type { NewRow, Row, RowPatch } from '../schema/database.ts';
import type { Db } from '../store/tx.ts';

export type MigrationRow = Row<'migrations'>;

export function findMigration(db: Db, authority: Authority, provider: string): Promise<MigrationRow | undefined> {
  return db
    .selectFrom('migrations')
    .selectAll()
    .where('workspace_id', '=', authority.workspace)
    .where('provider', '=', provider)
    .executeTakeFirst();
}

export function migrationById(db: Db, id: string): Promise<MigrationRow | undefined> {
  return db.selectFrom('migrations').selectAll().where('id', '=', id).executeTakeFirst();
}

/** False if the workspace already has one from this provider. */
export async function insertMigration(db: Db, row: NewRow<'migrations'>): Promise<boolean> {
  const made = await db
    .insertInto('migrations')
    .values(row)
    .onConflict((conflict) => conflict.columns(['workspace_id', 'provider']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return made !== undefined;
}

/** Returns the changed row, or undefined if it was deleted. */
export function patchMigration(db: Db, id: string, patch: RowPatch<'migrations'>): Promise<MigrationRow | undefined> {
  return db.updateTable('migrations').set(patch).where('id', '=', id).returningAll().executeTakeFirst();
}

/** Returns the id of the deleted migration. */
export async function deleteMigration(db: Db, authority: Authority, provider: string): Promise<string | undefined> {
  const deleted = await db
    .deleteFrom('migrations')
    .where('workspace_id', '=', authority.workspace)
    .where('provider', '=', provider)
    .returning('id')
    .executeTakeFirst();
  return deleted?.id;
}

export async function eraseMigrations(db: Db, workspaceId: string): Promise<void> {
  await db.deleteFrom('migrations').where('workspace_id', '=', workspaceId).execute();
}

export function migrationOfKey(
  db: Db,
  provider: string,
  hashes: readonly string[],
): Promise<Pick<MigrationRow, 'key_hash' | 'network'> | undefined> {
  return db
    .selectFrom('migrations')
    .select(['key_hash', 'network'])
    .where('key_hash', 'in', hashes)
    .where('provider', '=', provider)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Counts a request for every migration with the key; false if there is none. */
export async function countForwarded(db: Db, provider: string, hash: string): Promise<boolean> {
  const result = await db
    .updateTable('migrations')
    .set((eb) => ({ forwarded_calls: eb('forwarded_calls', '+', 1) }))
    .where('key_hash', '=', hash)
    .where('provider', '=', provider)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export function everyMigration(db: Db): Promise<Pick<MigrationRow, 'id' | 'provider' | 'sealed' | 'key_hash'>[]> {
  return db.selectFrom('migrations').select(['id', 'provider', 'sealed', 'key_hash']).orderBy('id').execute();
}
