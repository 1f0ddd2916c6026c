/** A person, by the platform's own id; the name is empty until it is known. */
export type Person = Readonly<{
  id: string;
  name: string;
  username?: string | undefined;
  avatar_url?: string | undefined;
  profile_url?: string | undefined;
}>;

export type Attachment = Readonly<{ type: string; url: string }>;

/** `ref` locates the file for the connector, which uses the account's login; it is not a secret. */
export type MessageAttachment = Readonly<{ type: string; url?: string | undefined; ref?: string | undefined }>;

/** What the account may do with a comment now. */
export type CommentCapabilities = Readonly<{
  can_reply: boolean;
  can_delete: boolean;
  can_hide: boolean;
  can_like: boolean;
  can_private_reply: boolean;
}>;

export type PlatformComment = Readonly<{
  platform_id: string;
  platform_post_id: string;
  /** The comment that this one replies to; absent at the top level. */
  parent_id?: string | undefined;
  /** The platform's page id of the post, for accounts that have pages. */
  page_id?: string | undefined;
  author: Person;
  /** True if the account (or page) itself wrote the comment. */
  is_owner: boolean;
  text: string;
  media: readonly Attachment[];
  created_at: number;
  permalink?: string | undefined;
  like_count: number;
  reply_count: number;
  is_hidden: boolean;
  is_liked: boolean;
  capabilities: CommentCapabilities;
  metadata?: Readonly<Record<string, unknown>>;
}>;

export type PlatformMention = Readonly<{
  platform_id: string;
  /** The post that contains the mention, itself or in a comment. */
  platform_post_id: string;
  comment_id?: string | undefined;
  page_id?: string | undefined;
  mention_type: 'comment' | 'caption' | 'post';
  author: Person;
  text: string;
  media: readonly Attachment[];
  permalink?: string | undefined;
  created_at: number;
}>;

export type PlatformReview = Readonly<{
  platform_id: string;
  rating: number;
  author: Person;
  text: string;
  /** The reviewed location, on platforms with several locations per account. */
  location?: string | undefined;
  media?: readonly Attachment[] | undefined;
  /** `state` is the platform's name for the moderation state of the reply. */
  reply?: Readonly<{ text: string; updated_at: number; state?: string | undefined }> | undefined;
  created_at: number;
  updated_at: number;
}>;

/** A thread of direct messages; its `platform_id` is the same in every push, list and send. */
export type PlatformConversation = Readonly<{
  platform_id: string;
  page_id?: string | undefined;
  participant: Person;
  /** The platform's unread count, if the backfill returns it. */
  unread?: number | undefined;
  /** The data that the connector needs for sending to the conversation. */
  metadata?: Readonly<Record<string, unknown>>;
}>;

export type MessageContent = Pick<PlatformMessage, 'text' | 'attachments' | 'reply_to' | 'metadata'>;

export type PlatformMessage = Readonly<{
  platform_id: string;
  direction: 'incoming' | 'outgoing';
  text: string;
  attachments: readonly MessageAttachment[];
  created_at: number;
  reply_to?: string | undefined;
  /** The correlation id that Rostra sent with the message, if the platform returns it. */
  correlation_id?: string | undefined;
  status?: 'sent' | 'delivered' | 'read' | undefined;
  /** `referral`, `quick_reply` and similar members, as events have them. */
  metadata?: Readonly<Record<string, unknown>>;
}>;

export type PlatformPost = Readonly<{
  platform_id: string;
  page_id?: string | undefined;
  text: string;
  thumbnail?: string | undefined;
  permalink?: string | undefined;
  comment_count: number;
  like_count: number;
  published_at: number;
}>;
