import { hold, type Dialect } from '../store/dialect.ts';
import type { NewRow, Row, RowPatch } from '../schema/database.ts';
import type { Db, Queryable } from '../store/tx.ts';

export type SendRow = Row<'sends'>;

export async function insertSend(db: Db, row: NewRow<'sends'>): Promise<void> {
  await db.insertInto('sends').values(row).execute();
}

/** The newest send of an account with this target and content. */
export function findEqualSend(db: Db, accountId: string, hash: string): Promise<SendRow | undefined> {
  return db
    .selectFrom('sends')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('hash', '=', hash)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Finds a send in any account. Only for the engine. */
export function loadSend(db: Db, id: string): Promise<SendRow | undefined> {
  return db.selectFrom('sends').selectAll().where('id', '=', id).executeTakeFirst();
}

export function holdSend(db: Db, dialect: Dialect, id: string): Promise<SendRow | undefined> {
  return hold(dialect, db.selectFrom('sends').selectAll().where('id', '=', id)).executeTakeFirst();
}

export function recentSends(db: Db, accountId: string, since: number): Promise<Pick<SendRow, 'id' | 'parts'>[]> {
  return db
    .selectFrom('sends')
    .select(['id', 'parts'])
    .where('account_id', '=', accountId)
    .where('updated_at', '>=', since)
    .execute();
}

export async function patchSend(db: Db, id: string, patch: RowPatch<'sends'>): Promise<void> {
  await db.updateTable('sends').set(patch).where('id', '=', id).execute();
}

/** False if the lease was lost; then the caller must stop. */
export async function patchLeasedSend(db: Db, id: string, token: string, patch: RowPatch<'sends'>): Promise<boolean> {
  const result = await db
    .updateTable('sends')
    .set(patch)
    .where('id', '=', id)
    .where('lease_token', '=', token)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Locks a send until the transaction ends if its lease is still this one and ends no sooner. */
export async function holdLeasedSend(
  { db, dialect }: Queryable,
  { id, token, until }: Readonly<{ id: string; token: string; until: number }>,
): Promise<boolean> {
  const leased = db
    .selectFrom('sends')
    .select('id')
    .where('id', '=', id)
    .where('lease_token', '=', token)
    .where('lease_until', '>=', until);
  return (await hold(dialect, leased).executeTakeFirst()) !== undefined;
}

/** Deletes sends that are too old to be repeated; returns how many. */
export async function sweepSends(db: Db, before: number, limit: number): Promise<number> {
  const result = await db
    .deleteFrom('sends')
    .where('id', 'in', (eb) =>
      eb.selectFrom('sends').select('id').where('created_at', '<', before).orderBy('created_at').limit(limit),
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
