import { hold, type Dialect } from '../store/dialect.ts';
import type { Erased, NewRow, Row } from '../schema/database.ts';
import type { Db } from '../store/tx.ts';

export type PushRow = Row<'pushes'>;

export async function insertPush(db: Db, row: Omit<NewRow<'pushes'>, 'attempts'>): Promise<void> {
  await db.insertInto('pushes').values(row).execute();
}

/** Counts a try of a push; undefined when it is done. */
export function tryPush(db: Db, id: string): Promise<PushRow | undefined> {
  return db
    .updateTable('pushes')
    .set((eb) => ({ attempts: eb('attempts', '+', 1) }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export function holdPush(db: Db, dialect: Dialect, id: string): Promise<PushRow | undefined> {
  return hold(dialect, db.selectFrom('pushes').selectAll().where('id', '=', id)).executeTakeFirst();
}

/** Records accounts a push must delete, of which something may be left. */
export async function noteErased(db: Db, id: string, erases: readonly Erased[]): Promise<void> {
  await db.updateTable('pushes').set({ erases }).where('id', '=', id).execute();
}

export async function deletePush(db: Db, id: string): Promise<void> {
  await db.deleteFrom('pushes').where('id', '=', id).execute();
}

export function loadPush(db: Db, id: string): Promise<PushRow | undefined> {
  return db.selectFrom('pushes').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function isWaiting(db: Db, id: string): Promise<boolean> {
  return (await db.selectFrom('pushes').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
}
