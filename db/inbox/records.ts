import type { NewRow, Row, RowPatch } from '../schema/database.ts';
import { firstOf, hasChanged, statement, writing } from '../store/statement.ts';
import type { Db } from '../store/tx.ts';
import { addWords, changesWords, changeWords } from './words.ts';

type Recorded = 'comments' | 'mentions' | 'messages' | 'reviews';

type Key = Readonly<{ account_id: string; platform_id: string }>;

export function recordsIn<T extends Recorded>(name: T) {
  // One type stands for all tables, because only the key columns are used.
  const table = name as 'comments';
  const byKey = statement((db, slot: Key) =>
    db
      .selectFrom(table)
      .selectAll()
      .where('account_id', '=', slot.account_id)
      .where('platform_id', '=', slot.platform_id),
  );
  const inserting = writing((db, row: NewRow<'comments'>) =>
    db
      .insertInto(table)
      .values(row)
      .onConflict((conflict) => conflict.columns(['account_id', 'platform_id']).doNothing()),
  );
  const patched = (db: Db, patch: RowPatch<'comments'>, key: Key) =>
    db
      .updateTable(table)
      .set(patch)
      .where('account_id', '=', key.account_id)
      .where('platform_id', '=', key.platform_id);
  const patching = writing(patched);
  const returning = writing((db, patch: RowPatch<'comments'>, key: Key) => patched(db, patch, key).returningAll());

  return Object.freeze({
    /** Also returns deleted rows. Only for the engine. */
    async load(db: Db, accountId: string, platformId: string): Promise<Row<T> | undefined> {
      return firstOf(await byKey(db, { account_id: accountId, platform_id: platformId })) as Row<T> | undefined;
    },

    /** False if the row already exists. */
    async insert(db: Db, row: NewRow<T>): Promise<boolean> {
      const added = row as NewRow<'comments'>;
      const isNew = hasChanged(await inserting(db, added));
      if (isNew) await addWords(db, table, [added]);
      return isNew;
    },

    async patch(db: Db, { account_id, platform_id }: Key, patch: RowPatch<T>): Promise<void> {
      const key = { account_id, platform_id };
      const own = patch as RowPatch<'comments'>;
      if (!changesWords(patch)) return void (await patching(db, own, key));
      const changed = firstOf(await returning(db, own, key));
      if (changed !== undefined) await changeWords(db, table, changed);
    },
  });
}
