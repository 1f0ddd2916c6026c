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

/** Inbox tables; conventions: database.ts. Rows of a removed account are invisible until purged, so no foreign keys. */
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

/** How far history was read: the connector's cursor, and the amounts. */
export type HistoryProgress = Readonly<{ cursor?: unknown; read: number; stretches: number; shown?: true }>;

/** How far an account's inbox is read. */
type InboxAccountsTable = {
  account_id: string;
  workspace_id: string;
  /** The first connection; nothing older emits events. */
  begun_at: number;
  sync_state: SyncState;
  last_synced_at: number | null;
  /** The start of the last sync that did not fail; 0 for never. */
  sync_started_at: number;
  history_cursor: Json<HistoryProgress> | null;
  history_done: Flag;
  /** The connector's own, null before the first read. */
  poll_cursor: Json<unknown> | null;
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
  /** Deleted on the platform; kept so that a late push does not restore it. */
  gone_at: number | null;
  created_at: number;
  /** Its event was emitted; what a list or history stored first is still announced when pushed. */
  announced: Flag;
  /** By us. 1: by a comment of ours; 2: by a send of ours. */
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
  /** By the platform's clock; the row's creation until there is a message. */
  last_message_at: number;
  last_message_direction: MessagesTable['direction'] | null;
  /** When the person last wrote, for the reply window. */
  last_incoming_at: number | null;
  /** What the connector needs to send into it. */
  metadata: Json<JsonObject>;
  created_at: number;
  updated_at: number;
};

export type MessageStatus = 'received' | 'sent' | 'delivered' | 'read' | 'failed';

type MessagesTable = {
  account_id: string;
  platform_id: string;
  workspace_id: string;
  /** Empty while only a change of the message is known. */
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
  /** A notice of the platform; never the last message. */
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
  /** 1: in public; 2: in private. */
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
  /** The platform's word for its review of the reply. */
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

/** The state of one part of a send: a bubble of a message, or a whole reply. */
export type PartState = Readonly<{
  /** The result of `prepare`. */
  prepared?: Readonly<{ plan: unknown }>;
  /** How often and since when the platform is still at work. */
  pending?: Readonly<{ asked: number; since: number }>;
  /** What `prepare` keeps for its next try. */
  kept?: unknown;
  /** How often a prepared part could not be sent. */
  lost?: number;
  message?: MessageContent | undefined;
  /** Since when it may have taken effect. */
  sent_at?: number | undefined;
  /** The platform's answer, if it left the outcome open. */
  said?: ErrorMeta | undefined;
  /** The connector's result. */
  made?: unknown;
}>;

export type SendError = Readonly<{
  code: ErrorCode;
  message?: string | undefined;
  next?: string | undefined;
  meta?: ErrorMeta | undefined;
  retry_after?: number | undefined;
}>;

/** Visible effects, stored before they are tried; repeated requests are matched with them. */
type SendsTable = {
  id: string;
  workspace_id: string;
  account_id: string;
  kind: SendKind;
  /** Hash of account, target and content: an equal one within minutes is the same request. */
  hash: string;
  status: SendStatus;
  /** Target and content. */
  ask: Json<Readonly<{ place: unknown; content: unknown }>>;
  parts: Json<readonly PartState[]>;
  /** Period of its interaction credit, if any. */
  charged: number | null;
  /** The client disconnected before the result was known. */
  unheard: Flag;
  error: Json<SendError> | null;
  lease_token: string | null;
  lease_until: number;
  created_at: number;
  updated_at: number;
};

/** Other ids of an account's things: the platform's, and ours of merged rows. */
type AliasesTable = {
  account_id: string;
  thing: AliasedThing;
  alias: string;
  workspace_id: string;
  platform_id: string;
};

/** Message templates per account, by the platform's ids (`body` with variables); some may be deleted. */
type TemplatesTable = {
  account_id: string;
  id: string;
  workspace_id: string;
  name: string;
  language: string;
  body: string;
};

/** By which words each thing is found; the index of them is the database's own. */
type InboxWordsTable = {
  /** Its time and a number, beyond what JavaScript counts exactly: never read whole. */
  id: number;
  workspace_id: string;
  account_id: string;
  kind: 'messages' | 'comments' | 'mentions' | 'reviews';
  item: string;
  words: string;
};

/** What was stored before there was an index, and after which row it is still to be read. */
type UnreadWordsTable = { kind: InboxWordsTable['kind']; account_id: string; item: string };

/** Texts to answer with again; without a brand, for all. */
type SavedRepliesTable = {
  id: string;
  workspace_id: string;
  brand_id: string | null;
  name: string;
  text: string;
  created_at: number;
  updated_at: number;
};
