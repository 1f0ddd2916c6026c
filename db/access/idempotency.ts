import type { NewRow, Row } from '../schema/database.ts';
import type { Db } from '../store/tx.ts';

export type IdempotencyRow = Row<'idempotency'>;
/** A row as long as one call, and nobody else, may say what becomes of it. */
export type Leased = Readonly<{ id: string; token: string }>;

/**
 * Makes the row of a key unless there is one, and answers the one that is there then; nobody else changes it until the
 * transaction ends.
 */
export function makeOrHold(db: Db, row: NewRow<'idempotency'>): Promise<IdempotencyRow> {
  return db
    .insertInto('idempotency')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(({ ref }) => ({ id: ref('excluded.id') })))
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Begins anew on a row that is held. */
export async function replaceHeld(db: Db, { id, ...row }: NewRow<'idempotency'>): Promise<void> {
  await db.updateTable('idempotency').set(row).where('id', '=', id).execute();
}

/** Sets until when a call has its key for itself, if it is still the call's own. */
export async function setLease(db: Db, { id, token }: Leased, until: number): Promise<void> {
  await db
    .updateTable('idempotency')
    .set({ lease_until: until })
    .where('id', '=', id)
    .where('lease_token', '=', token)
    .execute();
}

/** Gives a key that is held to another call. */
export async function takeOver(db: Db, { id, token }: Leased, until: number): Promise<void> {
  await db.updateTable('idempotency').set({ lease_token: token, lease_until: until }).where('id', '=', id).execute();
}

/** Records how far the work of a call is; false when the key is another's by now. */
export async function recordWork(db: Db, { id, token }: Leased, sealed: string): Promise<boolean> {
  const result = await db
    .updateTable('idempotency')
    .set({ sealed })
    .where('id', '=', id)
    .where('lease_token', '=', token)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Writes down what a call was answered, if the key is still its own. */
export async function keepAnswer(db: Db, { id, token }: Leased, sealed: string): Promise<void> {
  await db
    .updateTable('idempotency')
    .set({ sealed, lease_token: null, lease_until: null })
    .where('id', '=', id)
    .where('lease_token', '=', token)
    .execute();
}

/** Lets the next request with the key be the first again. */
export async function freeKey(db: Db, { id, token }: Leased): Promise<void> {
  await db.deleteFrom('idempotency').where('id', '=', id).where('lease_token', '=', token).execute();
}

/** One step of taking away what has expired; answers how many rows went. */
export async function sweepIdempotency(db: Db, now: number, limit: number): Promise<number> {
  const result = await db
    .deleteFrom('idempotency')
    .where('id', 'in', (eb) =>
      eb.selectFrom('idempotency').select('id').where('expires_at', '<=', now).orderBy('expires_at').limit(limit),
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
