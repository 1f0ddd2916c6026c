import type { Authority } from '#kernel/authority.ts';
import type { NewRow, Row, RowPatch } from '../schema/database.ts';
import type { Db } from '../store/tx.ts';

export type MigrationRow = Row<'migrations'>;

/** The migration of a workspace from a provider. */
export function findMigration(db: Db, authority: Authority, provider: string): Promise<MigrationRow | undefined> {
  return db
    .selectFrom('migrations')
    .selectAll()
    .where('workspace_id', '=', authority.workspace)
    .where('provider', '=', provider)
    .executeTakeFirst();
}

/** The migration of an id, as it is now. */
export function migrationById(db: Db, id: string): Promise<MigrationRow | undefined> {
  return db.selectFrom('migrations').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Adds a migration; false when the workspace has one from this provider. */
export async function insertMigration(db: Db, row: NewRow<'migrations'>): Promise<boolean> {
  const made = await db
    .insertInto('migrations')
    .values(row)
    .onConflict((conflict) => conflict.columns(['workspace_id', 'provider']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return made !== undefined;
}

/** Changes a migration; answers it as it is then, undefined when it is gone. */
export function patchMigration(db: Db, id: string, patch: RowPatch<'migrations'>): Promise<MigrationRow | undefined> {
  return db.updateTable('migrations').set(patch).where('id', '=', id).returningAll().executeTakeFirst();
}

/** Removes the migration of a workspace from a provider; answers its id, undefined when there is none. */
export async function deleteMigration(db: Db, authority: Authority, provider: string): Promise<string | undefined> {
  const deleted = await db
    .deleteFrom('migrations')
    .where('workspace_id', '=', authority.workspace)
    .where('provider', '=', provider)
    .returning('id')
    .executeTakeFirst();
  return deleted?.id;
}

/** Removes every migration of a workspace that goes. */
export async function eraseMigrations(db: Db, workspaceId: string): Promise<void> {
  await db.deleteFrom('migrations').where('workspace_id', '=', workspaceId).execute();
}

/** The migration whose key has one of these hashes, the latest of several. */
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

/** Counts a request by everybody who migrates with a key; false when nobody does any more. */
export async function countForwarded(db: Db, provider: string, hash: string): Promise<boolean> {
  const result = await db
    .updateTable('migrations')
    .set((eb) => ({ forwarded_calls: eb('forwarded_calls', '+', 1) }))
    .where('key_hash', '=', hash)
    .where('provider', '=', provider)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Every migration, for a change of the key that their hashes are made with. */
export function everyMigration(db: Db): Promise<Pick<MigrationRow, 'id' | 'provider' | 'sealed' | 'key_hash'>[]> {
  return db.selectFrom('migrations').select(['id', 'provider', 'sealed', 'key_hash']).orderBy('id').execute();
}
