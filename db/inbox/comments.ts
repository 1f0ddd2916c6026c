import type { Row } from '../schema/database.ts';
import type { Db } from '../store/tx.ts';
import { recordsIn } from './records.ts';

export type CommentRow = Row<'comments'>;

export const { load: loadComment, insert: insertComment, patch: patchComment } = recordsIn('comments');

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

/** How many comments of a post are stored and not deleted. */
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
