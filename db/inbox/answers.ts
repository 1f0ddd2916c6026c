import { sql, type SqlBool } from 'kysely';
import { oneOf, type Dialect } from '../store/dialect.ts';
import type { Db } from '../store/tx.ts';

/** What an answer belongs to, by the platform's ids: a comment, or the post itself if `comment` is null. */
export type AnswerPlace = Readonly<{ accountId: string; post: string; comment: string | null }>;

/** How something was answered. A send still counts after our comment was deleted. */
export const ANSWERED_BY = Object.freeze({ nothing: 0, comment: 1, send: 2 } as const);
/** The current states that each one may replace. */
const INSTEAD_OF = Object.freeze({ nothing: [1], comment: [0], send: [0, 1] } as const);

/** Marks a comment, and mentions in the same place, as answered or not. */
export async function markAnswered(db: Db, place: AnswerPlace, by: keyof typeof ANSWERED_BY): Promise<void> {
  const { accountId, post, comment } = place;
  const item = comment ?? post;
  await db
    .updateTable('comments')
    .set({ is_answered: ANSWERED_BY[by] })
    .where('account_id', '=', accountId)
    .where('is_answered', 'in', INSTEAD_OF[by])
    .where('platform_id', '=', item)
    .execute();
  // A comment that mentions the account may be stored as a post.
  await db
    .updateTable('mentions')
    .set({ is_answered: ANSWERED_BY[by] })
    .where('account_id', '=', accountId)
    .where('is_answered', 'in', INSTEAD_OF[by])
    .where(sql<SqlBool>`((platform_post_id = ${item} and comment_id is null)
      or (platform_post_id = ${post} and comment_id = ${item}))`)
    .execute();
}

/** Whether there is a comment of ours below it. */
export async function hasReply(db: Db, { accountId, post, comment }: AnswerPlace): Promise<boolean> {
  const row = await db
    .selectFrom('comments')
    .select('platform_id')
    .where('account_id', '=', accountId)
    .where('parent_id', '=', comment ?? post)
    .where(sql<SqlBool>`is_owner = 1 and gone_at is null`)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export async function answeredComments(
  db: Db,
  dialect: Dialect,
  accountId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .selectFrom('comments')
    .select('platform_id')
    .where('account_id', '=', accountId)
    .where(oneOf(dialect, 'platform_id', ids))
    .where('is_answered', '<>', 0)
    .execute();
  return new Set(rows.map(({ platform_id }) => platform_id));
}
