import { sql } from 'kysely';
import { rowsOf } from '../store/dialect.ts';
import type { Db, Queryable } from '../store/tx.ts';
import type { Authority } from '#kernel/authority.ts';
import { SCOPES } from '#kernel/scopes.ts';
import { WORKSPACE_COLUMNS, type NewRow, type Row, type RowPatch } from '../schema/database.ts';

export type KeyRow = Row<'keys'>;

const ALL_SCOPES = Object.keys(SCOPES);

/** Finds an active key by its hash, with its workspace, unless the user is disabled. */
export function presentedKey(db: Db, slot: { hash: string }) {
  return db
    .selectFrom('keys')
    .innerJoin('workspaces', 'workspaces.id', 'keys.workspace_id')
    .leftJoin('users', 'users.id', 'keys.user_id')
    .leftJoin('connections', 'connections.ref', 'keys.id')
    .where('keys.hash', '=', slot.hash)
    .where('users.disabled_at', 'is', null)
    .where('keys.is_active', '=', 1)
    .select([
      'keys.id',
      'keys.name',
      'keys.user_id',
      'keys.scopes',
      'keys.brand_ids',
      'keys.workspace_id',
      ...WORKSPACE_COLUMNS,
      'connections.policy',
      'connections.decides',
      'connections.ended_at',
    ]);
}

export async function isGoneKey(db: Db, hash: string): Promise<boolean> {
  return (await db.selectFrom('gone_keys').select('hash').where('hash', '=', hash).executeTakeFirst()) !== undefined;
}

/** Deletes a workspace's keys but keeps their hashes, so that using one gets its own error. */
export async function endKeys(db: Db, workspaceId: string): Promise<void> {
  await db
    .insertInto('gone_keys')
    .columns(['hash'])
    .expression(db.selectFrom('keys').where('workspace_id', '=', workspaceId).where('is_active', '=', 1).select('hash'))
    .execute();
  await db.deleteFrom('keys').where('workspace_id', '=', workspaceId).execute();
}

export function listKeys(db: Db, authority: Authority): Promise<KeyRow[]> {
  return db
    .selectFrom('keys')
    .selectAll()
    .where('workspace_id', '=', authority.workspace)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

export function findKey(db: Db, authority: Authority, id: string): Promise<KeyRow | undefined> {
  return db
    .selectFrom('keys')
    .selectAll()
    .where('workspace_id', '=', authority.workspace)
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function insertKey(db: Db, row: NewRow<'keys'>): Promise<void> {
  await db.insertInto('keys').values(row).execute();
}

/** False if the key was revoked in the meantime. */
export async function updateKey(db: Db, authority: Authority, id: string, patch: RowPatch<'keys'>): Promise<boolean> {
  const result = await db
    .updateTable('keys')
    .set(patch)
    .where('workspace_id', '=', authority.workspace)
    .where('id', '=', id)
    .where('is_active', '=', 1)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function anyKeyUsed(db: Db): Promise<boolean> {
  const row = await db
    .selectFrom('keys')
    .select('id')
    .where('last_used_at', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Stores when keys were last used; the times are collected for a minute. */
export async function touchKeys({ db, dialect }: Queryable, usedAt: ReadonlyMap<string, number>): Promise<void> {
  const used = [...usedAt].map(([id, at]) => ({ id, at }));
  await sql`
    update keys set last_used_at = used.at from ${rowsOf(dialect, 'used', { id: 'text', at: 'bigint' }, used)}
    where keys.id = used.id and (keys.last_used_at is null or keys.last_used_at < used.at)`.execute(db);
}

/** The keys that a person made and that work. */
export function keysMadeBy(db: Db, userId: string) {
  return db
    .selectFrom('keys')
    .select(['id', 'name'])
    .where('user_id', '=', userId)
    .where('is_active', '=', 1)
    .orderBy('created_at')
    .execute();
}

/**
 * Gives the keys that a person made to the owner; they would be deleted with the person. A key without limits gets all
 * scopes instead: whoever still knows it must not manage the workspace, and delete it, as the owner.
 */
export async function passKeysOn(db: Db, from: string, to: string): Promise<void> {
  const keys = await db.selectFrom('keys').select(['id', 'scopes', 'brand_ids']).where('user_id', '=', from).execute();
  const unlimited = keys.filter(({ scopes, brand_ids }) => scopes.length + brand_ids.length === 0).map(({ id }) => id);
  if (unlimited.length > 0)
    await db.updateTable('keys').set({ scopes: ALL_SCOPES }).where('id', 'in', unlimited).execute();
  await db.updateTable('keys').set({ user_id: to }).where('user_id', '=', from).execute();
  await db
    .updateTable('connections')
    .set({ user_id: to })
    .where('user_id', '=', from)
    .where('kind', '=', 'key')
    .execute();
}
