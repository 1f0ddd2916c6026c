import { hold, type Dialect } from '../store/dialect.ts';
import type { Erased, NewRow, Row } from '../schema/database.ts';
import { firstOf, statement, writing } from '../store/statement.ts';
import type { Db } from '../store/tx.ts';

export type PushRow = Row<'pushes'>;

type NewPush = Omit<NewRow<'pushes'>, 'attempts'>;

export async function insertPush(db: Db, row: NewPush): Promise<void> {
  await inserting(db, row);
}

const inserting = writing((db, row: NewPush) => db.insertInto('pushes').values(row));

/** Counts an attempt to process a push; undefined if it has already been processed. */
export async function tryPush(db: Db, id: string): Promise<PushRow | undefined> {
  return firstOf(await trying(db, { id }));
}

const trying = statement((db, slot: Readonly<{ id: string }>) =>
  db
    .updateTable('pushes')
    .set((eb) => ({ attempts: eb('attempts', '+', 1) }))
    .where('id', '=', slot.id)
    .returningAll(),
);

export function holdPush(db: Db, dialect: Dialect, id: string): Promise<PushRow | undefined> {
  return hold(dialect, db.selectFrom('pushes').selectAll().where('id', '=', id)).executeTakeFirst();
}

/** Records which deleted accounts a push is about, as something of them may be left. */
export async function noteErased(db: Db, id: string, erases: readonly Erased[]): Promise<void> {
  await db.updateTable('pushes').set({ erases }).where('id', '=', id).execute();
}

export async function deletePush(db: Db, id: string): Promise<void> {
  await deleting(db, { id });
}

const deleting = statement((db, slot: Readonly<{ id: string }>) => db.deleteFrom('pushes').where('id', '=', slot.id));

export function loadPush(db: Db, id: string): Promise<PushRow | undefined> {
  return db.selectFrom('pushes').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function isWaiting(db: Db, id: string): Promise<boolean> {
  return (await db.selectFrom('pushes').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
}
