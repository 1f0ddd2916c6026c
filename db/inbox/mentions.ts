import { upsertOnce } from '../store/dialect.ts';
import type { NewRow, Row } from '../schema/database.ts';
import type { Db } from '../store/tx.ts';

export type MentionRow = Row<'mentions'>;

/** A mention as it is stored: for the engine. */
export function loadMention(db: Db, accountId: string, platformId: string): Promise<MentionRow | undefined> {
  return db
    .selectFrom('mentions')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('platform_id', '=', platformId)
    .executeTakeFirst();
}

/** Stores a mention once; false when it is known. */
export async function insertMention(db: Db, row: NewRow<'mentions'>): Promise<boolean> {
  const insert = db.insertInto('mentions').values(row);
  return (await upsertOnce(insert, ['account_id', 'platform_id']).executeTakeFirst()) !== undefined;
}

/** Writes down that the event of a mention went out. */
export async function announceMention(
  db: Db,
  { account_id, platform_id }: Pick<MentionRow, 'account_id' | 'platform_id'>,
): Promise<void> {
  await db
    .updateTable('mentions')
    .set({ announced: 1 })
    .where('account_id', '=', account_id)
    .where('platform_id', '=', platform_id)
    .execute();
}
