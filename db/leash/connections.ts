import type { Act } from '#kernel/acts.ts';
import type { Authority } from '#kernel/authority.ts';
import { connectionIdOf, policyOf, type Policy } from '#kernel/limits/leash.ts';
import { keysMadeBy } from '../access/keys.ts';
import { deleteGrant } from '../access/oauth.ts';
import type { NewRow, Row, RowPatch } from '../schema/database.ts';
import { hold, type Dialect } from '../store/dialect.ts';
import type { Db } from '../store/tx.ts';
import { withdrawActions } from './actions.ts';

export type ConnectionRow = Row<'connections'>;

export function connectionOf(db: Db, slot: { ref: string }) {
  return db.selectFrom('connections').select(['id', 'policy', 'decides', 'ended_at']).where('ref', '=', slot.ref);
}

/** Locks a connection until the transaction ends. */
export async function holdConnection(db: Db, dialect: Dialect, id: string): Promise<void> {
  await hold(dialect, db.selectFrom('connections').select('id').where('id', '=', id)).execute();
}

/** Locks all connections of a user until the transaction ends. */
export async function holdConnectionsOf(db: Db, dialect: Dialect, userId: string): Promise<void> {
  await hold(dialect, db.selectFrom('connections').select('id').where('user_id', '=', userId)).execute();
}

/** Adds a connection unless it has a row. */
export async function insertConnection(db: Db, row: NewRow<'connections'>): Promise<void> {
  await db
    .insertInto('connections')
    .values(row)
    .onConflict((conflict) => conflict.column('ref').doNothing())
    .execute();
}

/** Changes a connection that has not ended; false if there is none. */
export async function updateConnection(db: Db, id: string, patch: RowPatch<'connections'>): Promise<boolean> {
  const result = await db
    .updateTable('connections')
    .set(patch)
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Makes another person the one for whom a connection acts. */
export async function giveConnection(db: Db, ref: string, userId: string): Promise<void> {
  await db.updateTable('connections').set({ user_id: userId }).where('ref', '=', ref).execute();
}

/** The connections of a workspace that have a row, which are those that somebody limited or ended. */
export function listConnections(db: Db, { workspace }: Authority): Promise<ConnectionRow[]> {
  return db.selectFrom('connections').selectAll().where('workspace_id', '=', workspace).execute();
}

/** Ends every app that acts for a user: revokes its grants and tokens, and withdraws its waiting actions. */
export async function endAppsOf(db: Db, userId: string, now: number): Promise<void> {
  await endGrants(db, await grantsAt(db, now).where('grant.user_id', '=', userId).execute(), now);
  await db.deleteFrom('oauth_records').where('user_id', '=', userId).execute();
}

/** Ends one app in the same way. */
export async function endApp(db: Db, grantId: string, now: number): Promise<void> {
  await endGrants(db, await grantsAt(db, now).where('grant.grant_id', '=', grantId).execute(), now);
  await deleteGrant(db, grantId);
}

function grantsAt(db: Db, now: number) {
  return db
    .selectFrom('oauth_records as grant')
    .innerJoin('users', 'users.id', 'grant.user_id')
    .select(['grant.grant_id', 'users.id as user_id', 'users.workspace_id'])
    .where('grant.model', '=', 'Grant')
    .where('grant.expires_at', '>', now);
}

/** Revokes the keys that a user made, and withdraws their waiting actions. */
export async function endKeysOf(db: Db, userId: string, by: string, now: number): Promise<void> {
  const keys = await keysMadeBy(db, userId);
  if (keys.length === 0) return;
  const ids = keys.map(({ id }) => connectionIdOf(id));
  await db.updateTable('keys').set({ is_active: 0 }).where('user_id', '=', userId).execute();
  await db
    .updateTable('connections')
    .set({ ended_at: now, updated_at: now, updated_by: by })
    .where('id', 'in', ids)
    .execute();
  await withdrawActions(db, ids, now);
}

type Grants = Awaited<ReturnType<ReturnType<typeof grantsAt>['execute']>>;

/** The grants are those of one user. */
async function endGrants(db: Db, grants: Grants, now: number): Promise<void> {
  const by = grants[0]?.user_id;
  if (by === undefined) return;
  const ended = { ended_at: now, updated_at: now, updated_by: by };
  const rows = grants.map(({ grant_id, user_id, workspace_id }) => {
    const ref = grant_id!;
    const who = { id: connectionIdOf(ref), workspace_id, user_id, kind: 'oauth', ref } as const;
    return { ...who, policy: policyOf('full'), decides: 0, created_at: now, ...ended } as const;
  });
  await db
    .insertInto('connections')
    .values(rows)
    .onConflict((conflict) => conflict.column('ref').doUpdateSet(ended))
    .execute();
  const ids = rows.map(({ id }) => id);
  await withdrawActions(db, ids, now);
}

/** The OAuth grants of a workspace that can be used now, newest first. A code that was not exchanged does not count. */
export function listGrants(db: Db, { workspace }: Authority, now: number) {
  return db
    .selectFrom('oauth_records as grant')
    .innerJoin('oauth_records as token', (join) =>
      join.onRef('token.grant_id', '=', 'grant.grant_id').on('token.model', '=', 'RefreshToken'),
    )
    .innerJoin('users', 'users.id', 'grant.user_id')
    .leftJoin('oauth_clients as client', 'client.id', 'grant.client_id')
    .where('users.workspace_id', '=', workspace)
    .where('grant.model', '=', 'Grant')
    .where('grant.expires_at', '>', now)
    .groupBy(['grant.grant_id', 'grant.user_id', 'grant.client_id', 'client.name', 'client.redirect_uris'])
    .select(({ fn }) => [
      'grant.grant_id',
      'grant.user_id',
      'grant.client_id',
      'client.name',
      'client.redirect_uris',
      fn.min('grant.created_at').as('connected_at'),
      fn.max('token.created_at').as('used_at'),
    ])
    .orderBy('connected_at', 'desc')
    .orderBy('grant.grant_id')
    .execute();
}

/** What each grant of a client for a user may do; null for a grant that nobody has limited. */
export async function policiesOf(
  db: Db,
  { clientId, userId, now }: Readonly<{ clientId: string; userId: string; now: number }>,
): Promise<readonly (Policy | null)[]> {
  const rows = await db
    .selectFrom('oauth_records as grant')
    .leftJoin('connections', 'connections.ref', 'grant.grant_id')
    .select('connections.policy')
    .where('grant.user_id', '=', userId)
    .where('grant.client_id', '=', clientId)
    .where('grant.model', '=', 'Grant')
    .where('grant.expires_at', '>', now)
    .where('connections.ended_at', 'is', null)
    .execute();
  return rows.map(({ policy }) => policy);
}

/** Counts an act of a connection; returns false, without counting it, above `most` a day. */
export async function countAct(db: Db, row: Omit<NewRow<'connection_counts'>, 'n'>, most: number): Promise<boolean> {
  if (most < 1) return false;
  const counted = await db
    .insertInto('connection_counts')
    .values({ ...row, n: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['connection_id', 'day', 'act'])
        .doUpdateSet((eb) => ({ n: eb('connection_counts.n', '+', 1) }))
        .where('connection_counts.n', '<', most),
    )
    .returning('n')
    .executeTakeFirst();
  return counted !== undefined;
}

/** Deletes the counts of earlier days. */
export async function sweepCounts(db: Db, day: number): Promise<number> {
  const result = await db.deleteFrom('connection_counts').where('day', '<', day).executeTakeFirst();
  return Number(result.numDeletedRows);
}

/** What the connections of a workspace did on one day. */
export function countsOn(
  db: Db,
  { workspace }: Authority,
  day: number,
): Promise<Readonly<{ connection_id: string; act: Act; n: number }>[]> {
  return db
    .selectFrom('connection_counts')
    .select(['connection_id', 'act', 'n'])
    .where('workspace_id', '=', workspace)
    .where('day', '=', day)
    .execute();
}

export function loadConnection(db: Db, id: string): Promise<ConnectionRow | undefined> {
  return db.selectFrom('connections').selectAll().where('id', '=', id).executeTakeFirst();
}
