import type { Generated } from 'kysely';
import type { Flag, Json } from './column.ts';

/**
 * Tables of the inbox. The conventions are those of database.ts. Rows name their account without a foreign key: an
 * account with years of messages goes in steps, so every read joins `accounts` and what lost its account is invisible.
 * Their `page_id`, `parent_id` and `reply_to` are the platform's own ids.
 */
export type InboxTables = {
  inbox_accounts: InboxAccountsTable;
  inbox_posts: InboxPostsTable;
  comments: CommentsTable;
  conversations: ConversationsTable;
  messages: MessagesTable;
  mentions: MentionsTable;
  reviews: ReviewsTable;
  sends: SendsTable;
  pushes: PushesTable;
};

export type SyncState = 'idle' | 'syncing' | 'failed';

/** How far the inbox of an account is read. */
type InboxAccountsTable = {
  account_id: string;
  workspace_id: string;
  /** When the account was connected for the first time: what is told of the time before is no news. */
  begun_at: number;
  sync_state: SyncState;
  /** When the last reading succeeded. */
  last_synced_at: number | null;
  /** When the last sync that did not fail was started, for its cooldown; 0 for never. */
  sync_started_at: number;
  /** The connector's own cursors, null before the first reading. */
  history_cursor: Json | null;
  history_done: Flag;
  poll_cursor: Json | null;
};

/** Posts of an account that have or may have comments. */
type InboxPostsTable = {
  id: string;
  workspace_id: string;
  account_id: string;
  platform_id: string;
  page_id: string | null;
  content: string;
  thumbnail: string | null;
  permalink: string | null;
  comment_count: number;
  like_count: number;
  published_at: number;
  created_at: number;
  updated_at: number;
};

type CommentsTable = {
  account_id: string;
  platform_id: string;
  workspace_id: string;
  platform_post_id: string;
  page_id: string | null;
  parent_id: string | null;
  /** Person, as the platform's connector told it. */
  author: Json;
  is_owner: Flag;
  text: string;
  media: Json;
  permalink: string | null;
  like_count: number;
  reply_count: number;
  is_hidden: Flag;
  is_liked: Flag;
  capabilities: Json;
  metadata: Json;
  /** Deleted on the platform; kept so that a late push does not bring it back. */
  gone_at: number | null;
  created_at: number;
  /** Its event went out. What listing or history stored first is still announced when it is pushed. */
  announced: Flag;
};

export type ConversationStatus = 'active' | 'archived';

type ConversationsTable = {
  id: string;
  workspace_id: string;
  account_id: string;
  platform_id: string;
  page_id: string | null;
  participant_id: string;
  participant_name: string;
  participant_username: string | null;
  participant_picture: string | null;
  status: ConversationStatus;
  unread_count: number;
  last_message: string;
  /** Of the newest message by the platform's clock; until there is one, when the row was made. */
  last_message_at: number;
  /** When the person wrote last, for the window in which they may be answered. */
  last_incoming_at: number | null;
  /** What the connector needs to send into it. */
  metadata: Json;
  created_at: number;
  updated_at: number;
};

export type MessageStatus = 'received' | 'sent' | 'delivered' | 'read' | 'failed';

type MessagesTable = {
  account_id: string;
  platform_id: string;
  workspace_id: string;
  conversation_id: string;
  direction: 'incoming' | 'outgoing';
  sender_id: string;
  sender_name: string;
  text: string;
  attachments: Json;
  reply_to: string | null;
  status: MessageStatus;
  status_updated_at: number | null;
  metadata: Json;
  gone_at: number | null;
  created_at: number;
  announced: Flag;
  stored_at: number;
};

type MentionsTable = {
  account_id: string;
  platform_id: string;
  workspace_id: string;
  page_id: string | null;
  platform_post_id: string;
  comment_id: string | null;
  mention_type: string;
  author: Json;
  text: string;
  media: Json;
  permalink: string | null;
  created_at: number;
  announced: Flag;
};

type ReviewsTable = {
  account_id: string;
  platform_id: string;
  workspace_id: string;
  rating: number;
  author: Json;
  text: string;
  location: string | null;
  reply_text: string | null;
  reply_updated_at: number | null;
  created_at: number;
  updated_at: number;
  announced: Flag;
};

export type SendKind = 'dm' | 'reply' | 'private_reply' | 'review_reply' | 'mention_reply';
export type SendStatus = 'open' | 'unknown' | 'done' | 'refused';

/** Effects people see, written down before they are tried: what a client that repeats its request is measured by. */
type SendsTable = {
  id: string;
  workspace_id: string;
  account_id: string;
  kind: SendKind;
  /** Hash of account, place and content: an equal one within minutes is the same wish. */
  hash: string;
  status: SendStatus;
  ask: Json;
  /** Per part: its plan, whether it was sent, when, and what came of it. */
  parts: Json;
  /** Period of the interaction credit it holds; null when none. */
  charged: number | null;
  /** The client was gone before it could be told how this ended. */
  unheard: Flag;
  error: Json | null;
  lease_token: string | null;
  lease_until: number;
  created_at: number;
  updated_at: number;
};

/** Inbound pushes, kept as they came until they are processed. */
type PushesTable = {
  id: string;
  platform: string;
  network: string;
  path: string;
  headers: Json;
  /** Base64 of the bytes that were signed. */
  body: string;
  received_at: number;
  attempts: Generated<number>;
  /** Set when it demands a deletion: the accounts that are gone by it, of which something may be left. */
  erases: Json | null;
};
