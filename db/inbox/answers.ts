import { sql, type SqlBool } from 'kysely';
import { oneOf, type Dialect } from '../store/dialect.ts';
import type { Db } from '../store/tx.ts';

/** Where an answer stands, by the platform's ids: below a comment, or below the post itself. */
export type AnswerPlace = Readonly<{ accountId: string; post: string; comment: string | null }>;

/** By what something is answered, as the columns hold it. A send stays an answer when a comment of ours is deleted. */
export const ANSWERED_BY = Object.freeze({ nothing: 0, comment: 1, send: 2 } as const);
/** What each may take the place of. */
const INSTEAD_OF = Object.freeze({ nothing: [1], comment: [0], send: [0, 1] } as const);

/** Marks what an answer stands below as answered, or not any more: a comment, and the mentions made in the same place. */
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
  // A comment may be known as a post of its own where it mentions the account.
  await db
    .updateTable('mentions')
    .set({ is_answered: ANSWERED_BY[by] })
    .where('account_id', '=', accountId)
    .where('is_answered', 'in', INSTEAD_OF[by])
    .where(sql<SqlBool>`((platform_post_id = ${item} and comment_id is null)
      or (platform_post_id = ${post} and comment_id = ${item}))`)
    .execute();
}

/** Whether a comment of ours stands below a place. */
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

/** Which of some comments of an account are answered. */
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
