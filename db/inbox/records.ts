import type { NewRow, Row, RowPatch } from '../schema/database.ts';
import { upsertOnce } from '../store/dialect.ts';
import { firstOf, statement, writing } from '../store/statement.ts';
import type { Db } from '../store/tx.ts';
import { addWords, changesWords, changeWords } from './words.ts';

type Recorded = 'comments' | 'mentions' | 'messages' | 'reviews';

type Key = Readonly<{ account_id: string; platform_id: string }>;

export function recordsIn<T extends Recorded>(name: T) {
  // One table type stands for all: only the key columns are used.
  const table = name as 'comments';
  const byKey = statement((db, slot: Key) =>
    db
      .selectFrom(table)
      .selectAll()
      .where('account_id', '=', slot.account_id)
      .where('platform_id', '=', slot.platform_id),
  );
  const inserting = writing((db, row: NewRow<'comments'>) =>
    upsertOnce(db.insertInto(table).values(row), ['account_id', 'platform_id']),
  );

  return Object.freeze({
    /** Includes deleted rows: for the engine. */
    async load(db: Db, accountId: string, platformId: string): Promise<Row<T> | undefined> {
      return firstOf(await byKey(db, { account_id: accountId, platform_id: platformId })) as Row<T> | undefined;
    },

    /** False if it is known. */
    async insert(db: Db, row: NewRow<T>): Promise<boolean> {
      const added = firstOf(await inserting(db, row as NewRow<'comments'>));
      if (added !== undefined) await addWords(db, table, [added]);
      return added !== undefined;
    },

    async patch(db: Db, { account_id, platform_id }: Key, patch: RowPatch<T>): Promise<void> {
      const update = db.updateTable(table).set(patch as RowPatch<'comments'>);
      const named = update.where('account_id', '=', account_id).where('platform_id', '=', platform_id);
      if (!changesWords(patch)) return void (await named.execute());
      const changed = await named.returningAll().executeTakeFirst();
      if (changed !== undefined) await changeWords(db, table, changed);
    },
  });
}
