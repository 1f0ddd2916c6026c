import type { NewRow, Row } from '../schema/database.ts';
import type { Db } from '../store/tx.ts';

export type IdempotencyRow = Row<'idempotency'>;
/** A row that one call has leased with its token. */
export type Leased = Readonly<{ id: string; token: string }>;

/** Inserts a key's row unless it exists. Returns the stored row, locked until the transaction ends. */
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

/** Extends or ends a call's lease, if it still has it. */
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

/** Records how far a call's work has got; false if another call has the key now. */
export async function recordWork(db: Db, { id, token }: Leased, sealed: string): Promise<boolean> {
  const result = await db
    .updateTable('idempotency')
    .set({ sealed })
    .where('id', '=', id)
    .where('lease_token', '=', token)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Stores a call's response, if it still has the key. */
export async function keepAnswer(db: Db, { id, token }: Leased, sealed: string): Promise<void> {
  await db
    .updateTable('idempotency')
    .set({ sealed, lease_token: null, lease_until: null })
    .where('id', '=', id)
    .where('lease_token', '=', token)
    .execute();
}

/** Forgets the key, so that the next request with it counts as the first one. */
export async function freeKey(db: Db, { id, token }: Leased): Promise<void> {
  await db.deleteFrom('idempotency').where('id', '=', id).where('lease_token', '=', token).execute();
}

/** Deletes up to `limit` expired rows; returns how many. */
export async function sweepIdempotency(db: Db, now: number, limit: number): Promise<number> {
  const result = await db
    .deleteFrom('idempotency')
    .where('id', 'in', (eb) =>
      eb.selectFrom('idempotency').select('id').where('expires_at', '<=', now).orderBy('expires_at').limit(limit),
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
