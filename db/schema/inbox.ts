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
  subscriptions: SubscriptionsTable;
  aliases: AliasesTable;
  templates: TemplatesTable;
};

export type SyncState = 'idle' | 'syncing' | 'failed';

/** How far history was read: the connector's cursor, and how many things by how many calls. */
export type HistoryProgress = Readonly<{ cursor?: unknown; read: number; stretches: number; shown?: true }>;

/** How far the inbox of an account is read. */
type InboxAccountsTable = {
  account_id: string;
  workspace_id: string;
  /** When the account was first connected; nothing older emits events. */
  begun_at: number;
  sync_state: SyncState;
  /** When the last reading succeeded. */
  last_synced_at: number | null;
  /** When the last sync that did not fail was started, for its cooldown; 0 for never. */
  sync_started_at: number;
  /** Null before the first reading. */
  history_cursor: Json<HistoryProgress> | null;
  history_done: Flag;
  /** The connector's own, null before the first reading. */
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
  /** Deleted on the platform; kept so that a late push does not bring it back. */
  gone_at: number | null;
  created_at: number;
  /** Its event went out. What listing or history stored first is still announced when it is pushed. */
  announced: Flag;
  /** By us. 1: a comment of ours stands below it; 2: a send of ours answered it. */
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
  /** Of the newest message by the platform's clock; until there is one, when the row was made. */
  last_message_at: number;
  /** Null until there is a message. */
  last_message_direction: MessagesTable['direction'] | null;
  /** When the person wrote last, for the window in which they may be answered. */
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
  /** The platform's own words, and never the last message of its conversation. */
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
  /** The platform's word for how far it has checked the reply. */
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
export type SendStatus = 'open' | 'unknown' | 'done' | 'refused';

/** How far one part of a send is: a bubble of a message, or all of a reply. */
export type PartState = Readonly<{
  /** What `prepare` answered, once it has. */
  prepared?: Readonly<{ plan: unknown }>;
  /** How often the platform said, and since when, that it still works on what `prepare` began. */
  pending?: Readonly<{ asked: number; since: number }>;
  /** What `prepare` keeps for its next try. */
  kept?: unknown;
  /** How often what was prepared could not be sent. */
  lost?: number;
  message?: MessageContent | undefined;
  /** Since when it may have taken effect. */
  sent_at?: number | undefined;
  /** What the platform answered, where that does not say whether it took effect. */
  said?: ErrorMeta | undefined;
  /** What it made, as the connector answers it. */
  made?: unknown;
}>;

/** The error a send ended with. */
export type SendError = Readonly<{
  code: ErrorCode;
  message?: string | undefined;
  next?: string | undefined;
  meta?: ErrorMeta | undefined;
  retry_after?: number | undefined;
}>;

/** Effects people see, written down before they are tried: what a client that repeats its request is measured by. */
type SendsTable = {
  id: string;
  workspace_id: string;
  account_id: string;
  kind: SendKind;
  /** Hash of account, place and content: an equal one within minutes is the same request. */
  hash: string;
  status: SendStatus;
  /** Where it goes and what it says. */
  ask: Json<Readonly<{ place: unknown; content: unknown }>>;
  parts: Json<readonly PartState[]>;
  /** Period of the interaction credit it holds; null when none. */
  charged: number | null;
  /** The client disconnected before the result was known. */
  unheard: Flag;
  error: Json<SendError> | null;
  lease_token: string | null;
  lease_until: number;
  created_at: number;
  updated_at: number;
};

/** Other ids of what an account knows by `platform_id`: the platform's, and ours of rows that were merged. */
type AliasesTable = {
  account_id: string;
  thing: AliasedThing;
  alias: string;
  workspace_id: string;
  platform_id: string;
};

/** Which accounts have which message templates, by the platform's ids (`body` with its variables); some may be gone. */
type TemplatesTable = {
  account_id: string;
  id: string;
  workspace_id: string;
  name: string;
  language: string;
  body: string;
};
