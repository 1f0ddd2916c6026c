import type { NewRow, Row } from '../schema/database.ts';
import type { Db } from '../store/tx.ts';

export type IdempotencyRow = Row<'idempotency'>;
/** A row that belongs to one call for the moment. */
export type Leased = Readonly<{ id: string; token: string }>;

/** Inserts a key's row unless it exists; returns the stored one, locked for the transaction. */
export function makeOrHold(db: Db, row: NewRow<'idempotency'>): Promise<IdempotencyRow> {
  return db
    .insertInto('idempotency')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(({ ref }) => ({ id: ref('excluded.id') })))
    .returningAll()
    .executeTakeFirstOrThrow();
}

export function loadKey(db: Db, id: string): Promise<IdempotencyRow | undefined> {
  return db.selectFrom('idempotency').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function replaceHeld(db: Db, { id, ...row }: NewRow<'idempotency'>): Promise<void> {
  await db.updateTable('idempotency').set(row).where('id', '=', id).execute();
}

/** Sets the end of a call's lease, if it still holds it. */
export async function setLease(db: Db, { id, token }: Leased, until: number): Promise<void> {
  await db
    .updateTable('idempotency')
    .set({ lease_until: until })
    .where('id', '=', id)
    .where('lease_token', '=', token)
    .execute();
}

export async function takeOver(db: Db, { id, token }: Leased, until: number): Promise<void> {
  await db.updateTable('idempotency').set({ lease_token: token, lease_until: until }).where('id', '=', id).execute();
}

/** Records the progress of a call's work; false if another call holds the key. */
export async function recordWork(db: Db, { id, token }: Leased, sealed: string): Promise<boolean> {
  const result = await db
    .updateTable('idempotency')
    .set({ sealed })
    .where('id', '=', id)
    .where('lease_token', '=', token)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Stores a call's answer, if it still holds the key. */
export async function keepAnswer(db: Db, { id, token }: Leased, sealed: string): Promise<void> {
  await db
    .updateTable('idempotency')
    .set({ sealed, lease_token: null, lease_until: null })
    .where('id', '=', id)
    .where('lease_token', '=', token)
    .execute();
}

/** Makes the next request with the key the first again. */
export async function freeKey(db: Db, { id, token }: Leased): Promise<void> {
  await db.deleteFrom('idempotency').where('id', '=', id).where('lease_token', '=', token).execute();
}

/** Removes some expired rows; returns how many. */
export async function sweepIdempotency(db: Db, now: number, limit: number): Promise<number> {
  const result = await db
    .deleteFrom('idempotency')
    .where('id', 'in', (eb) =>
      eb.selectFrom('idempotency').select('id').where('expires_at', '<=', now).orderBy('expires_at').limit(limit),
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
