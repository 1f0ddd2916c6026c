import { workspaceOf, type Authority, type Workspace } from '#kernel/authority.ts';
import { endKeys } from './keys.ts';
import { hold, type Dialect } from '../store/dialect.ts';
import { firstOf, statement } from '../store/statement.ts';
import type { Db } from '../store/tx.ts';
import type { NewRow, Row, RowPatch } from '../schema/database.ts';

export type UserRow = Row<'users'>;
export type WorkspaceRow = Row<'workspaces'>;

export function findUser(db: Db, id: string): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function userNames(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom('users').select(['id', 'name']).where('id', 'in', ids).execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

export function findUserByEmail(db: Db, email: string): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst();
}

/** The setting that names the owner of the server, if it is no longer the first user. */
export const OWNER = 'owner';

/** The owner of the server: the user who was appointed, or else the owner of the oldest workspace. */
export function findOwner(db: Db): Promise<UserRow | undefined> {
  const named = db.selectFrom('settings').select('value').where('name', '=', OWNER);
  return db
    .selectFrom('users')
    .innerJoin('workspaces', 'workspaces.id', 'users.workspace_id')
    .selectAll('users')
    .where(({ eb, or }) => or([eb('users.id', '=', named), eb('users.role', '=', 'owner')]))
    .orderBy((eb) => eb.case().when('users.id', '=', named).then(0).else(1).end())
    .orderBy('workspaces.created_at')
    .orderBy('workspaces.id')
    .limit(1)
    .executeTakeFirst();
}

/** All users whose workspace was not removed, oldest first. */
export function listUsers(db: Db): Promise<UserRow[]> {
  return db
    .selectFrom('users')
    .selectAll()
    .where('workspace_id', 'in', livingWorkspaces(db))
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

export function findWorkspaceOwner(db: Db, workspaceId: string): Promise<UserRow | undefined> {
  return db
    .selectFrom('users')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('role', '=', 'owner')
    .executeTakeFirst();
}

/** The id of the person who owns a workspace; empty if the workspace is gone. */
export async function ownerIdOf(db: Db, { workspace }: Pick<Authority, 'workspace'>): Promise<string> {
  return firstOf(await workspaceOwnerId(db, { id: workspace }))?.id ?? '';
}

const workspaceOwnerId = statement((db, slot: { id: string }) =>
  db.selectFrom('users').select('id').where('workspace_id', '=', slot.id).where('role', '=', 'owner'),
);

/** The people of a workspace, in the order in which they came. */
export function listPeople(db: Db, { workspace }: Pick<Authority, 'workspace'>): Promise<UserRow[]> {
  return db
    .selectFrom('users')
    .selectAll()
    .where('workspace_id', '=', workspace)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

export function findPerson(db: Db, { workspace }: Authority, id: string): Promise<UserRow | undefined> {
  return db
    .selectFrom('users')
    .selectAll()
    .where('workspace_id', '=', workspace)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Deletes a user with their sessions and keys. */
export async function deleteUser(db: Db, id: string): Promise<void> {
  await db.deleteFrom('users').where('id', '=', id).execute();
}

/** False if the email address or id is taken. */
export async function insertUser(db: Db, row: NewRow<'users'>): Promise<boolean> {
  const made = await db
    .insertInto('users')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return made !== undefined;
}

/** Adds a person to a workspace that somebody else owns; false if the email address is taken. */
export function insertPerson(
  db: Db,
  person: Pick<NewRow<'users'>, 'id' | 'workspace_id' | 'email' | 'name' | 'password_hash' | 'role' | 'created_at'>,
): Promise<boolean> {
  return insertUser(db, { ...person, onboarding: 0, lock_accounts_to_brand: 0 });
}

export async function updateUser(db: Db, id: string, patch: RowPatch<'users'>): Promise<void> {
  await db.updateTable('users').set(patch).where('id', '=', id).execute();
}

export async function insertWorkspace(db: Db, row: NewRow<'workspaces'>): Promise<void> {
  await db.insertInto('workspaces').values(row).execute();
}

/** Changes a workspace, if it still exists. */
export async function patchWorkspace(db: Db, id: string, patch: RowPatch<'workspaces'>): Promise<void> {
  await db.updateTable('workspaces').set(patch).where('id', '=', id).where('removed_at', 'is', null).execute();
}

export async function findWorkspace(db: Db, id: string): Promise<WorkspaceRow | undefined> {
  return firstOf(await livingWorkspace(db, { id }));
}

/** Those of some workspaces that were not removed, in no particular order. */
export function findWorkspaces(db: Db, ids: readonly string[]): Promise<WorkspaceRow[]> {
  return db.selectFrom('workspaces').selectAll().where('id', 'in', ids).where('removed_at', 'is', null).execute();
}

const livingWorkspace = statement((db, slot: { id: string }) =>
  db.selectFrom('workspaces').selectAll().where('id', '=', slot.id).where('removed_at', 'is', null),
);

/** Workspaces that were not removed. Lookups by an address or secret, without a caller, must check this. */
export const livingWorkspaces = (db: Db) => db.selectFrom('workspaces').select('id').where('removed_at', 'is', null);

export function holdWorkspace(db: Db, dialect: Dialect, id: string): Promise<WorkspaceRow | undefined> {
  return hold(dialect, db.selectFrom('workspaces').selectAll().where('id', '=', id)).executeTakeFirst();
}

/** A workspace in the form that requests have it, for background work. */
export async function currentWorkspace(db: Db, id: string): Promise<Workspace | undefined> {
  const row = await findWorkspace(db, id);
  return row && workspaceOf({ ...row, workspace_id: row.id, workspace_created_at: row.created_at });
}

/** Marks a workspace as removed. `sweepRemovedWorkspaces` then deletes its history in steps. */
export async function removeWorkspace(db: Db, id: string, now: number): Promise<boolean> {
  const result = await db
    .updateTable('workspaces')
    .set({ removed_at: now, blocked_at: now })
    .where('id', '=', id)
    .where('removed_at', 'is', null)
    .executeTakeFirst();
  if (result.numUpdatedRows === 0n) return false;
  await endKeys(db, id);
  for (const table of [
    'users',
    'accounts',
    'apps',
    'choices',
    'connects',
    'invites',
    'invitations',
    'mails',
    'mail_notifications',
    'endpoint_events',
  ] as const) {
    await db.deleteFrom(table).where('workspace_id', '=', id).execute();
  }
  await db
    .updateTable('endpoints')
    .set({ is_active: 0, removed_at: now, updated_at: now })
    .where('workspace_id', '=', id)
    .where('removed_at', 'is', null)
    .execute();
  return true;
}

/** Deletes a workspace that has no history. */
export async function deleteWorkspace(db: Db, id: string): Promise<boolean> {
  const result = await db.deleteFrom('workspaces').where('id', '=', id).executeTakeFirst();
  return result.numDeletedRows > 0n;
}
