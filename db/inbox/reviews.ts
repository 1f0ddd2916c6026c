import { upsertOnce } from '../store/dialect.ts';
import type { NewRow, Row, RowPatch } from '../schema/database.ts';
import type { Db } from '../store/tx.ts';

export type ReviewRow = Row<'reviews'>;

/** A review as it is stored: for the engine. */
export function loadReview(db: Db, accountId: string, platformId: string): Promise<ReviewRow | undefined> {
  return db
    .selectFrom('reviews')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('platform_id', '=', platformId)
    .executeTakeFirst();
}

/** Stores a review once; false when it is known. */
export async function insertReview(db: Db, row: NewRow<'reviews'>): Promise<boolean> {
  const insert = db.insertInto('reviews').values(row);
  return (await upsertOnce(insert, ['account_id', 'platform_id']).executeTakeFirst()) !== undefined;
}

export async function patchReview(
  db: Db,
  { account_id, platform_id }: Pick<ReviewRow, 'account_id' | 'platform_id'>,
  patch: RowPatch<'reviews'>,
): Promise<void> {
  await db
    .updateTable('reviews')
    .set(patch)
    .where('account_id', '=', account_id)
    .where('platform_id', '=', platform_id)
    .execute();
}
