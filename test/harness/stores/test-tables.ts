import type { Kysely } from 'kysely';
import type { Migration } from '#db/migrate/migrate.ts';
import { createTable } from '#db/migrations/table.ts';
import type { Store, Tx } from '#db/store/open.ts';

/** Tables for tests of the store itself, so that they do not change with the product's. */
export type TestTables = {
  notes: { id: string; text: string; count: number; at: number };
  keys: { id: string; name: string };
};

export const testMigrations: readonly Migration[] = Object.freeze([
  {
    version: 1,
    name: 'notes',
    async up(db, dialect) {
      await createTable(db, dialect, 'notes', {
        columns: { id: 'id', text: 'text', count: 'int = 0', at: 'int = 0' },
        primary: ['id'],
      });
      await createTable(db, dialect, 'keys', {
        columns: { id: 'id', name: 'key' },
        primary: ['id'],
        unique: [['name']],
      });
    },
  } satisfies Migration,
]);

/** The same builder, typed for the tables of these tests. */
export function tables(from: Store | Tx): Kysely<TestTables> {
  return from.db as unknown as Kysely<TestTables>;
}

/** Adds a note. */
export async function addNote(tx: Tx, id: string, text = ''): Promise<void> {
  await tables(tx).insertInto('notes').values({ id, text, count: 0, at: 0 }).execute();
}

/** Adds notes, together. */
export const addNotes = (store: Store, ...ids: readonly string[]) =>
  store.write(async (tx) => {
    for (const id of ids) await addNote(tx, id);
  });

/** Counts a note up, in one statement. */
export const increment = (tx: Tx, id = 'a') =>
  tables(tx)
    .updateTable('notes')
    .set((eb) => ({ count: eb('count', '+', 1) }))
    .where('id', '=', id)
    .execute();

/** The counts of all notes. */
export async function countsOf(from: Store): Promise<number[]> {
  const rows = await tables(from).selectFrom('notes').select('count').execute();
  return rows.map(({ count }) => count);
}

/** The ids of all notes, in order. */
export async function noteIds(from: Store | Tx): Promise<string[]> {
  const rows = await tables(from).selectFrom('notes').select('id').orderBy('id').execute();
  return rows.map(({ id }) => id);
}
