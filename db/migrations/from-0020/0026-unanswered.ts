import { sql, type Kysely } from 'kysely';

/** Who spoke last in a conversation, and which comments and mentions were answered, as far as that is stored. */
export const unanswered = Object.freeze({
  version: 26,
  name: 'unanswered',
  async up(db: Kysely<never>): Promise<void> {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
    await markSent(db);
  },
});

const STATEMENTS = Object.freeze([
  'alter table conversations add column last_message_direction text',
  'alter table comments add column is_answered integer not null default 0',
  'alter table mentions add column is_answered integer not null default 0',

  `create index comments_own_replies on comments (account_id, parent_id)
    where is_owner = 1 and gone_at is null and parent_id is not null`,
  'create index mentions_place on mentions (account_id, platform_post_id, comment_id)',

  `update conversations set last_message_direction =
    (select direction from messages where conversation_id = conversations.id and gone_at is null and is_notice = 0
      order by created_at desc, platform_id desc limit 1)`,
  `update comments set is_answered = 1 where (account_id, platform_id) in
    (select account_id, parent_id from comments where is_owner = 1 and gone_at is null and parent_id is not null)`,
  `update mentions set is_answered = 1 where exists
    (select 1 from comments where comments.account_id = mentions.account_id and is_owner = 1 and gone_at is null
      and parent_id is not null and parent_id = coalesce(mentions.comment_id, mentions.platform_post_id))`,

  `create index conversations_by_turn on conversations
    (workspace_id, status, last_message_direction, last_message_at, id)`,
  `create index conversations_by_turn_of_account on conversations
    (account_id, status, last_message_direction, last_message_at, id)`,
  `create index comments_unanswered on comments (account_id, created_at, platform_id)
    where is_answered = 0 and is_owner = 0 and is_hidden = 0 and gone_at is null`,
  'create index mentions_unanswered on mentions (account_id, created_at, platform_id) where is_answered = 0',
  'create index reviews_unanswered on reviews (account_id, created_at, platform_id) where reply_text is null',
]);

/** What is answered without a comment of ours is known from the sends of the last days alone. */
async function markSent(db: Kysely<never>): Promise<void> {
  const { rows } = await sql<{ account_id: string; command: string }>`select account_id, ask as command from sends
    where kind in ('private_reply', 'mention_reply') and status = 'done'`.execute(db);
  for (const { account_id, command } of rows) {
    const { place } = JSON.parse(command) as { place: { post: string; comment?: string } };
    const item = place.comment ?? place.post;
    await sql`update comments set is_answered = 2 where account_id = ${account_id} and platform_id = ${item}`.execute(
      db,
    );
    await sql`update mentions set is_answered = 2 where account_id = ${account_id}
      and ((platform_post_id = ${item} and comment_id is null)
        or (platform_post_id = ${place.post} and comment_id = ${item}))`.execute(db);
  }
}
