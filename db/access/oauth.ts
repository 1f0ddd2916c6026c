import { hold } from '../store/dialect.ts';
import type { JsonObject } from '../schema/column.ts';
import { WORKSPACE_COLUMNS, type NewRow } from '../schema/database.ts';
import type { Db, Queryable } from '../store/tx.ts';

type OauthRecord = NewRow<'oauth_records'>;

/** Inserts a record. If it exists, only its payload is replaced. */
export async function putRecord(db: Db, row: OauthRecord): Promise<void> {
  await db
    .insertInto('oauth_records')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ payload: row.payload }))
    .execute();
}

/** Replaces the payload of a record; false if it is missing or no longer valid. */
export async function rewriteRecord(db: Db, id: string, payload: JsonObject, now: number): Promise<boolean> {
  const result = await db
    .updateTable('oauth_records')
    .set({ payload })
    .where('id', '=', id)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** The payload of a record that was neither used nor has expired. */
export async function readRecord(db: Db, id: string, now: number): Promise<JsonObject | undefined> {
  const row = await db
    .selectFrom('oauth_records')
    .select('payload')
    .where('id', '=', id)
    .where('spent_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row?.payload;
}

/** Uses up a record. Only one of several concurrent calls gets its payload. */
export async function spendRecord(db: Db, id: string, now: number): Promise<JsonObject | undefined> {
  const row = await db
    .updateTable('oauth_records')
    .set({ spent_at: now })
    .where('id', '=', id)
    .where('spent_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('payload')
    .executeTakeFirst();
  return row?.payload;
}

/** Only one of several concurrent calls gets true. */
export async function deleteRecord(db: Db, id: string): Promise<boolean> {
  const result = await db.deleteFrom('oauth_records').where('id', '=', id).executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** Extends a grant to `until`; false if it was revoked or has expired. */
export async function prolongGrant(
  { db, dialect }: Queryable,
  { id, now, until }: Readonly<{ id: string; now: number; until: number }>,
): Promise<boolean> {
  const grant = await hold(
    dialect,
    db
      .selectFrom('oauth_records')
      .select('expires_at')
      .where('id', '=', id)
      .where('spent_at', 'is', null)
      .where('expires_at', '>', now),
  ).executeTakeFirst();
  if (!grant) return false;
  if (grant.expires_at < until) {
    await db.updateTable('oauth_records').set({ expires_at: until }).where('id', '=', id).execute();
  }
  return true;
}

/** Returns whether the user exists, and prevents their deletion until the transaction ends. */
export async function holdUser({ db, dialect }: Queryable, id: string): Promise<boolean> {
  return (
    (await hold(dialect, db.selectFrom('users').select('id').where('id', '=', id)).executeTakeFirst()) !== undefined
  );
}

/** Revokes a grant, so that it cannot be renewed. The row stays to `until`, when its last access token expires. */
export async function revokeGrant(
  db: Db,
  { grantId, now, until }: Readonly<{ grantId: string; now: number; until: number }>,
): Promise<void> {
  const open = db.updateTable('oauth_records').where('grant_id', '=', grantId).where('spent_at', 'is', null);
  await open.set({ spent_at: now, expires_at: until }).where('model', '=', 'Grant').execute();
  await open.set({ spent_at: now }).execute();
}

/** Whether tokens of a grant are still accepted; after a revocation, until the last one issued expires. */
export async function isGrantAlive(db: Db, grantId: string, now: number): Promise<boolean> {
  const row = await db
    .selectFrom('oauth_records')
    .select('id')
    .where('grant_id', '=', grantId)
    .where('model', '=', 'Grant')
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row !== undefined;
}

export async function deleteGrant(db: Db, grantId: string): Promise<void> {
  await db.deleteFrom('oauth_records').where('grant_id', '=', grantId).execute();
}

export async function grantOfRefreshToken(
  db: Db,
  { id, clientId, now }: Readonly<{ id: string; clientId: string; now: number }>,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('oauth_records')
    .select('grant_id')
    .where('id', '=', id)
    .where('model', '=', 'RefreshToken')
    .where('client_id', '=', clientId)
    .where('spent_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row?.grant_id ?? undefined;
}

/** The grant of a code or refresh token that was used before `before`. */
export async function grantOfSpent(db: Db, id: string, before: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('oauth_records')
    .select('grant_id')
    .where('id', '=', id)
    .where('spent_at', '<', before)
    .executeTakeFirst();
  return row?.grant_id ?? undefined;
}

/** When the nth newest open consent request from a network address ends; undefined if there are fewer. */
export async function nthOpenInteraction(
  db: Db,
  { n, now, address }: Readonly<{ n: number; now: number; address: string }>,
): Promise<number | undefined> {
  const row = await openInteractions(db, now)
    .select('expires_at')
    .where('address', '=', address)
    .orderBy('expires_at', 'desc')
    .offset(n - 1)
    .limit(1)
    .executeTakeFirst();
  return row?.expires_at;
}

function openInteractions(db: Db, now: number) {
  return db.selectFrom('oauth_records').where('model', '=', 'Interaction').where('expires_at', '>', now);
}

/** Makes room for a consent request. If `most` are open, the address with the most of them loses its oldest. */
export async function evictInteraction(db: Db, { most, now }: Readonly<{ most: number; now: number }>): Promise<void> {
  const { count } = await openInteractions(db, now)
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .executeTakeFirstOrThrow();
  if (Number(count) < most) return;
  const noisiest = openInteractions(db, now)
    .select('address')
    .groupBy('address')
    .orderBy(({ fn }) => fn.countAll(), 'desc')
    .orderBy(({ fn }) => fn.min('expires_at'))
    .limit(1);
  const oldest = openInteractions(db, now)
    .select('id')
    .where('address', '=', noisiest)
    .orderBy('expires_at')
    .orderBy('id')
    .limit(1);
  await db.deleteFrom('oauth_records').where('id', '=', oldest).execute();
}

/** Deletes up to `limit` records that expired or were used long enough ago; returns how many. */
export async function sweepRecords(
  db: Db,
  { expiredBefore, spentBefore, limit }: Readonly<{ expiredBefore: number; spentBefore: number; limit: number }>,
): Promise<number> {
  const result = await db
    .deleteFrom('oauth_records')
    .where('id', 'in', (query) =>
      query
        .selectFrom('oauth_records')
        .select('id')
        .where(({ or, eb }) => or([eb('expires_at', '<', expiredBefore), eb('spent_at', '<', spentBefore)]))
        .limit(limit),
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

/** The user of a token with their workspace. */
export function tokenUser(db: Db, slot: { id: string }) {
  return tokenUsers(db).where('users.id', '=', slot.id);
}

/** The same, by the email address in a token of another issuer. */
export function tokenUserByEmail(db: Db, slot: { email: string }) {
  return tokenUsers(db).where('users.email', '=', slot.email);
}

function tokenUsers(db: Db) {
  return db
    .selectFrom('users')
    .innerJoin('workspaces', 'workspaces.id', 'users.workspace_id')
    .where('users.disabled_at', 'is', null)
    .select(['users.id', 'users.name', 'users.email', 'users.workspace_id', 'users.role', ...WORKSPACE_COLUMNS]);
}
