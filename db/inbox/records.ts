import type { NewRow, Row, RowPatch } from '../schema/database.ts';
import { upsertOnce } from '../store/dialect.ts';
import type { Db } from '../store/tx.ts';

/** The tables of what was said, whose rows go by their account and the platform's id. */
type Recorded = 'comments' | 'mentions' | 'messages' | 'reviews';

type Key = Readonly<{ account_id: string; platform_id: string }>;

/** The queries that these tables have in common. */
export function recordsIn<T extends Recorded>(name: T) {
  // In the types one table stands for all: of their columns only the key is used.
  const table = name as 'comments';

  return Object.freeze({
    /** A row as it is stored, gone ones included: for the engine. */
    async load(db: Db, accountId: string, platformId: string): Promise<Row<T> | undefined> {
      const query = db.selectFrom(table).selectAll();
      const row = await query
        .where('account_id', '=', accountId)
        .where('platform_id', '=', platformId)
        .executeTakeFirst();
      return row as Row<T> | undefined;
    },

    /** Stores a row once; false when it is known. */
    async insert(db: Db, row: NewRow<T>): Promise<boolean> {
      const insert = db.insertInto(table).values(row as NewRow<'comments'>);
      return (await upsertOnce(insert, ['account_id', 'platform_id']).executeTakeFirst()) !== undefined;
    },

    async patch(db: Db, { account_id, platform_id }: Key, patch: RowPatch<T>): Promise<void> {
      const update = db.updateTable(table).set(patch as RowPatch<'comments'>);
      await update.where('account_id', '=', account_id).where('platform_id', '=', platform_id).execute();
    },
  });
}
