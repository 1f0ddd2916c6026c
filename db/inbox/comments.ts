import { upsertOnce } from '../store/dialect.ts';
import type { NewRow, Row, RowPatch } from '../schema/database.ts';
import type { Db } from '../store/tx.ts';

export type CommentRow = Row<'comments'>;

/** A comment as it is stored, gone ones included: for the engine. */
export function loadComment(db: Db, accountId: string, platformId: string): Promise<CommentRow | undefined> {
  return db
    .selectFrom('comments')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('platform_id', '=', platformId)
    .executeTakeFirst();
}

/** The posts of some accounts below which a comment of this id is known. */
export async function commentedPosts(
  db: Db,
  accountIds: readonly string[],
  platformId: string,
): Promise<{ accountId: string; post: string }[]> {
  return db
    .selectFrom('comments')
    .select(['account_id as accountId', 'platform_post_id as post'])
    .where('account_id', 'in', accountIds)
    .where('platform_id', '=', platformId)
    .execute();
}

/** Stores a comment once; false when it is known. */
export async function insertComment(db: Db, row: NewRow<'comments'>): Promise<boolean> {
  const insert = db.insertInto('comments').values(row);
  return (await upsertOnce(insert, ['account_id', 'platform_id']).executeTakeFirst()) !== undefined;
}

export async function patchComment(
  db: Db,
  { account_id, platform_id }: Pick<CommentRow, 'account_id' | 'platform_id'>,
  patch: RowPatch<'comments'>,
): Promise<void> {
  await db
    .updateTable('comments')
    .set(patch)
    .where('account_id', '=', account_id)
    .where('platform_id', '=', platform_id)
    .execute();
}

/** How many comments of a post are stored and not gone. */
export async function countComments(db: Db, accountId: string, platformPostId: string): Promise<number> {
  const row = await db
    .selectFrom('comments')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('account_id', '=', accountId)
    .where('platform_post_id', '=', platformPostId)
    .where('gone_at', 'is', null)
    .executeTakeFirstOrThrow();
  return row.n;
}
