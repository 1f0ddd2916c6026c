import { sql } from 'kysely';
import { newId } from '#kernel/ids.ts';
import { upsertOnce } from '../store/dialect.ts';
import type { NewRow, Row } from '../schema/database.ts';
import { firstOf, writing } from '../store/statement.ts';
import type { Db } from '../store/tx.ts';

export type InboxPostRow = Row<'inbox_posts'>;

export type PostKey = Readonly<{ account_id: string; platform_id: string }>;

type PostFields = Pick<
  InboxPostRow,
  'page_id' | 'content' | 'thumbnail' | 'permalink' | 'published_at' | 'comment_count' | 'like_count'
>;

/** False if the post is already stored. */
export async function insertInboxPost(
  db: Db,
  { account_id, platform_id, workspace_id }: PostKey & Pick<InboxPostRow, 'workspace_id'>,
  fields: Partial<PostFields> & Pick<PostFields, 'published_at'>,
  now: number,
): Promise<boolean> {
  const row = {
    id: newId('ipost', now),
    account_id,
    platform_id,
    workspace_id,
    page_id: null,
    content: '',
    thumbnail: null,
    permalink: null,
    comment_count: 0,
    like_count: 0,
    ...fields,
    created_at: now,
    updated_at: now,
  };
  return firstOf(await inserting(db, row)) !== undefined;
}

const inserting = writing((db, row: NewRow<'inbox_posts'>) =>
  upsertOnce(db.insertInto('inbox_posts').values(row), ['account_id', 'platform_id']),
);

export async function patchInboxPost(db: Db, key: PostKey, fields: Partial<PostFields>, now: number): Promise<void> {
  await named(db, key)
    .set({ ...fields, updated_at: now })
    .execute();
}

/** Gives a post its current id. If a row with it exists, that one is kept; returns our id of the deleted row. */
export async function renameInboxPost(db: Db, key: PostKey, platformId: string): Promise<string | undefined> {
  const known = await db
    .selectFrom('inbox_posts')
    .select('id')
    .where('account_id', '=', key.account_id)
    .where('platform_id', '=', platformId)
    .executeTakeFirst();
  if (known === undefined) {
    await named(db, key).set({ platform_id: platformId }).execute();
    return undefined;
  }
  const gone = await db
    .deleteFrom('inbox_posts')
    .where('account_id', '=', key.account_id)
    .where('platform_id', '=', key.platform_id)
    .returning('id')
    .executeTakeFirst();
  return gone?.id;
}

/** Adds to the comment count, which never drops below zero. */
export async function moveCommentCount(db: Db, key: PostKey, by: number): Promise<void> {
  await named(db, key)
    .set({ comment_count: sql<number>`case when comment_count + ${by} < 0 then 0 else comment_count + ${by} end` })
    .execute();
}

/** Raises counts that are lower than what is known for certain. */
export async function raiseCounts(
  db: Db,
  key: PostKey,
  least: Readonly<{ comments: number; likes?: number }>,
): Promise<void> {
  const { comments, likes = 0 } = least;
  await named(db, key)
    .set({
      comment_count: sql<number>`case when comment_count < ${comments} then ${comments} else comment_count end`,
      like_count: sql<number>`case when like_count < ${likes} then ${likes} else like_count end`,
    })
    .execute();
}

function named(db: Db, { account_id, platform_id }: PostKey) {
  return db.updateTable('inbox_posts').where('account_id', '=', account_id).where('platform_id', '=', platform_id);
}

export async function inboxPostId(db: Db, accountId: string, platformId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('inbox_posts')
    .select('id')
    .where('account_id', '=', accountId)
    .where('platform_id', '=', platformId)
    .executeTakeFirst();
  return row?.id;
}
