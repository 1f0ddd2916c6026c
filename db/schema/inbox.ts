import type { ErrorCode, ErrorMeta } from '#kernel/errors.ts';
import type { AliasedThing } from '#platforms/inbound.ts';
import type {
  Attachment,
  CommentCapabilities,
  MessageAttachment,
  MessageContent,
  Person,
} from '#platforms/inbox-types.ts';
import type { Flag, Json, JsonObject } from './column.ts';
import type { PushesTable, SubscriptionsTable } from './pushes.ts';

/** Inbox tables; conventions are in database.ts. No foreign keys, as rows of a removed account are purged later. */
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
  subscriptions: SubscriptionsTable;
  aliases: AliasesTable;
  templates: TemplatesTable;
  inbox_words: InboxWordsTable;
  inbox_unread_words: UnreadWordsTable;
  saved_replies: SavedRepliesTable;
};

export type SyncState = 'idle' | 'syncing' | 'failed';

/** How far the history has been read: the connector's cursor and counts. */
export type HistoryProgress = Readonly<{ cursor?: unknown; read: number; stretches: number; shown?: true }>;

/** How much of an account's inbox has been read. */
type InboxAccountsTable = {
  account_id: string;
  workspace_id: string;
  /** When the account was first connected; nothing from before emits events. */
  begun_at: number;
  sync_state: SyncState;
  last_synced_at: number | null;
  /** When the last sync that did not fail began; 0 if there was none. */
  sync_started_at: number;
  history_cursor: Json<HistoryProgress> | null;
  history_done: Flag;
  /** The connector's own data; null before the first read. */
  poll_cursor: Json<unknown> | null;
};

/** Posts of an account that have comments or may get some. */
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
  author: Json<Person>;
  is_owner: Flag;
  text: string;
  media: Json<readonly Attachment[]>;
  permalink: string | null;
  like_count: number;
  reply_count: number;
  is_hidden: Flag;
  is_liked: Flag;
  capabilities: Json<CommentCapabilities>;
  metadata: Json<JsonObject>;
  /** When it was deleted on the platform. The row is kept so that a late push does not restore it. */
  gone_at: number | null;
  created_at: number;
  /** Whether its event was emitted. If a list or history read stored it first, a later push can still emit it. */
  announced: Flag;
  /** Answered by us: 1 by a comment of ours, 2 by a send of ours. */
  is_answered: 0 | 1 | 2;
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
  /** The time of the last message by the platform's clock; before the first message, the row's creation. */
  last_message_at: number;
  last_message_direction: MessagesTable['direction'] | null;
  /** When the person last wrote, because the reply window starts then. */
  last_incoming_at: number | null;
  /** What the connector needs in order to send to the conversation. */
  metadata: Json<JsonObject>;
  created_at: number;
  updated_at: number;
};

export type MessageStatus = 'received' | 'sent' | 'delivered' | 'read' | 'failed';

type MessagesTable = {
  account_id: string;
  platform_id: string;
  workspace_id: string;
  /** Empty while only a change to the message is known, not the message itself. */
  conversation_id: string;
  direction: 'incoming' | 'outgoing';
  sender_id: string;
  sender_name: string;
  text: string;
  attachments: Json<readonly MessageAttachment[]>;
  reply_to: string | null;
  status: MessageStatus;
  status_updated_at: number | null;
  metadata: Json<JsonObject>;
  gone_at: number | null;
  created_at: number;
  announced: Flag;
  stored_at: number;
  /** A notice from the platform, which never counts as the last message. */
  is_notice: Flag;
};

type MentionsTable = {
  account_id: string;
  platform_id: string;
  workspace_id: string;
  page_id: string | null;
  platform_post_id: string;
  comment_id: string | null;
  mention_type: string;
  author: Json<Person>;
  text: string;
  media: Json<readonly Attachment[]>;
  permalink: string | null;
  created_at: number;
  announced: Flag;
  /** 1: answered in public; 2: answered in private. */
  is_answered: 0 | 1 | 2;
};

type ReviewsTable = {
  account_id: string;
  platform_id: string;
  workspace_id: string;
  rating: number;
  author: Json<Person>;
  text: string;
  location: string | null;
  reply_text: string | null;
  reply_updated_at: number | null;
  /** The status that the platform gives its review of our reply. */
  reply_state: string | null;
  media: Json<readonly Attachment[]>;
  created_at: number;
  updated_at: number;
  announced: Flag;
};

export type SendKind =
  | 'dm'
  | 'template'
  | 'reply'
  | 'private_reply'
  | 'review_reply'
  | 'mention_reply'
  | 'template_draft'
  | 'place_media'
  | 'number';
type SendStatus = 'open' | 'unknown' | 'done' | 'refused';

/** The state of one part of a send, which is one bubble of a message or a whole reply. */
export type PartState = Readonly<{
  /** What `prepare` returned. */
  prepared?: Readonly<{ plan: unknown }>;
  /** While the platform is processing: how often it was asked, and since when. */
  pending?: Readonly<{ asked: number; since: number }>;
  /** What `prepare` wants to have at its next try. */
  kept?: unknown;
  /** How often sending a prepared part failed. */
  lost?: number;
  message?: MessageContent | undefined;
  /** The time from which the part may have been sent. */
  sent_at?: number | undefined;
  /** The platform's response, if it left open whether the part was sent. */
  said?: ErrorMeta | undefined;
  /** What the connector returned. */
  made?: unknown;
}>;

export type SendError = Readonly<{
  code: ErrorCode;
  message?: string | undefined;
  next?: string | undefined;
  meta?: ErrorMeta | undefined;
  retry_after?: number | undefined;
}>;

/** Visible effects, stored before the first try so that a repeated request can be matched with them. */
type SendsTable = {
  id: string;
  workspace_id: string;
  account_id: string;
  kind: SendKind;
  /** A hash of the account, target and content. Within minutes, an equal hash means the same request. */
  hash: string;
  status: SendStatus;
  /** The target and the content. */
  ask: Json<Readonly<{ place: unknown; content: unknown }>>;
  parts: Json<readonly PartState[]>;
  /** The period of the interaction credit that was charged; null if none was. */
  charged: number | null;
  /** The client disconnected before it received the result. */
  unheard: Flag;
  error: Json<SendError> | null;
  lease_token: string | null;
  lease_until: number;
  created_at: number;
  updated_at: number;
};

/** Other ids for things of an account: ids of the platform, and our ids of rows that were merged. */
type AliasesTable = {
  account_id: string;
  thing: AliasedThing;
  alias: string;
  workspace_id: string;
  platform_id: string;
};

/** Message templates of an account, under the platform's ids. Some may have been deleted there. */
type TemplatesTable = {
  account_id: string;
  id: string;
  workspace_id: string;
  name: string;
  language: string;
  body: string;
};

/** The search words of each item. Their full-text index is a feature of the database. */
type InboxWordsTable = {
  /** Made of the time and a number. Too large for JavaScript to hold exactly, so it is never read as a whole. */
  id: number;
  workspace_id: string;
  account_id: string;
  kind: 'messages' | 'comments' | 'mentions' | 'reviews';
  item: string;
  words: string;
};

/** Items stored before the search index existed, and the row from which to continue adding them. */
type UnreadWordsTable = { kind: InboxWordsTable['kind']; account_id: string; item: string };

/** Saved replies; one without a brand can be used in all brands. */
type SavedRepliesTable = {
  id: string;
  workspace_id: string;
  brand_id: string | null;
  name: string;
  text: string;
  created_at: number;
  updated_at: number;
};
