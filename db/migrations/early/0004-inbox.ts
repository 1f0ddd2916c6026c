import { sql, type Kysely } from 'kysely';
import { createTable, type Dialect, type TableSpec } from '../table.ts';

const workspace = 'id > workspaces';

const TABLES: Readonly<Record<string, TableSpec>> = {
  pages: {
    columns: {
      id: 'id',
      account_id: 'id > accounts',
      workspace_id: workspace,
      platform_page_id: 'key',
      name: 'text',
      facts: 'text',
      is_default: 'int',
      is_active: 'int',
      is_missing: 'int',
      enriched_at: 'int',
      created_at: 'int',
      updated_at: 'int',
    },
    primary: ['id'],
    unique: [['account_id', 'platform_page_id']],
    indexes: { pages_platform: '(platform_page_id)', pages_workspace: '(workspace_id)' },
  },
  inbox_accounts: {
    columns: {
      account_id: 'id > accounts',
      workspace_id: workspace,
      begun_at: 'int',
      sync_state: 'text',
      last_synced_at: 'int?',
      sync_started_at: 'int',
      history_cursor: 'text?',
      history_done: 'int',
      poll_cursor: 'text?',
    },
    primary: ['account_id'],
    indexes: { inbox_accounts_workspace: '(workspace_id)' },
  },
  inbox_posts: {
    columns: {
      id: 'id',
      workspace_id: workspace,
      account_id: 'id',
      platform_id: 'key',
      page_id: 'key?',
      content: 'text',
      thumbnail: 'text?',
      permalink: 'text?',
      comment_count: 'int',
      like_count: 'int',
      published_at: 'int',
      created_at: 'int',
      updated_at: 'int',
    },
    primary: ['id'],
    unique: [['account_id', 'platform_id']],
    indexes: {
      inbox_posts_newest: '(workspace_id, published_at, id)',
      inbox_posts_busiest: '(workspace_id, comment_count, id)',
      inbox_posts_platform: '(workspace_id, platform_id)',
      inbox_posts_account: '(account_id, published_at, id)',
    },
  },
  comments: {
    columns: {
      account_id: 'id',
      platform_id: 'key',
      workspace_id: workspace,
      platform_post_id: 'key',
      page_id: 'key?',
      parent_id: 'key?',
      author: 'text',
      is_owner: 'int',
      text: 'text',
      media: 'text',
      permalink: 'text?',
      like_count: 'int',
      reply_count: 'int',
      is_hidden: 'int',
      is_liked: 'int',
      capabilities: 'text',
      metadata: 'text',
      gone_at: 'int?',
      created_at: 'int',
      announced: 'int',
    },
    primary: ['account_id', 'platform_id'],
    indexes: {
      comments_post: '(account_id, platform_post_id, gone_at) where gone_at is null',
      comments_workspace: '(workspace_id)',
    },
  },
  conversations: {
    columns: {
      id: 'id',
      workspace_id: workspace,
      account_id: 'id',
      platform_id: 'key',
      page_id: 'key?',
      participant_id: 'key',
      participant_name: 'text',
      participant_username: 'text?',
      participant_picture: 'text?',
      status: 'text',
      unread_count: 'int',
      last_message: 'text',
      last_message_at: 'int',
      last_incoming_at: 'int?',
      metadata: 'text',
      created_at: 'int',
      updated_at: 'int',
    },
    primary: ['id'],
    unique: [['account_id', 'platform_id']],
    indexes: {
      conversations_newest: '(workspace_id, status, last_message_at, id)',
      conversations_account: '(account_id, status, last_message_at, id)',
    },
  },
  messages: {
    columns: {
      account_id: 'id',
      platform_id: 'key',
      workspace_id: workspace,
      conversation_id: 'id',
      direction: 'text',
      sender_id: 'key',
      sender_name: 'text',
      text: 'text',
      attachments: 'text',
      reply_to: 'key?',
      status: 'text',
      status_updated_at: 'int?',
      metadata: 'text',
      gone_at: 'int?',
      created_at: 'int',
      announced: 'int',
      stored_at: 'int',
    },
    primary: ['account_id', 'platform_id'],
    indexes: {
      messages_newest: '(conversation_id, created_at, platform_id)',
      messages_unread:
        "(conversation_id, status, created_at) where direction = 'outgoing' and status in ('sent', 'delivered')",
      messages_workspace: '(workspace_id)',
    },
  },
  mentions: {
    columns: {
      account_id: 'id',
      platform_id: 'key',
      workspace_id: workspace,
      page_id: 'key?',
      platform_post_id: 'key',
      comment_id: 'key?',
      mention_type: 'text',
      author: 'text',
      text: 'text',
      media: 'text',
      permalink: 'text?',
      created_at: 'int',
      announced: 'int',
    },
    primary: ['account_id', 'platform_id'],
    indexes: {
      mentions_newest: '(account_id, created_at, platform_id)',
      mentions_workspace: '(workspace_id)',
    },
  },
  reviews: {
    columns: {
      account_id: 'id',
      platform_id: 'key',
      workspace_id: workspace,
      rating: 'int',
      author: 'text',
      text: 'text',
      location: 'text?',
      reply_text: 'text?',
      reply_updated_at: 'int?',
      created_at: 'int',
      updated_at: 'int',
      announced: 'int',
    },
    primary: ['account_id', 'platform_id'],
    indexes: { reviews_platform: '(workspace_id, platform_id)' },
  },
  sends: {
    columns: {
      id: 'id',
      workspace_id: workspace,
      account_id: 'id',
      kind: 'text',
      hash: 'key',
      status: 'text',
      ask: 'text',
      parts: 'text',
      charged: 'int?',
      unheard: 'int',
      error: 'text?',
      lease_token: 'text?',
      lease_until: 'int',
      created_at: 'int',
      updated_at: 'int',
    },
    primary: ['id'],
    indexes: {
      sends_equal: '(account_id, hash, created_at)',
      sends_age: '(created_at)',
      sends_workspace: '(workspace_id)',
    },
  },
  pushes: {
    columns: {
      id: 'id',
      platform: 'text',
      network: 'text',
      path: 'text',
      headers: 'text',
      body: 'text',
      received_at: 'int',
      attempts: 'int = 0',
      erases: 'text?',
    },
    primary: ['id'],
  },
};

const INT: Readonly<Record<Dialect, string>> = { sqlite: 'integer', postgres: 'bigint' };

/** What people write to connected accounts, and what is answered. */
export const inbox = Object.freeze({
  version: 4,
  name: 'inbox',
  async up(db: Kysely<never>, dialect: Dialect) {
    for (const [name, spec] of Object.entries(TABLES)) await createTable(db, dialect, name, spec);
    // Each queue looks for its own kinds, however many of the others are due.
    await sql`create index jobs_kind on jobs (kind, run_at, id)`.execute(db);
    await sql`alter table accounts add column connected_at ${sql.raw(INT[dialect])} not null default 0`.execute(db);
    await sql`update accounts set connected_at = created_at`.execute(db);
    // Accounts that were connected before there was an inbox are looked after as if they had just come.
    for (const kind of ['welcome_account', 'poll_inbox']) {
      await sql`
        insert into jobs (id, kind, key, payload, run_at, created_at)
        select ${sql.lit(`job_${kind}_`)} || id, ${sql.lit(kind)}, id, '{}', 0, 0 from accounts`.execute(db);
    }
  },
});
