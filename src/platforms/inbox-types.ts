/** A person, by the platform's own id; the name is empty while unknown. */
export type Person = Readonly<{
  id: string;
  name: string;
  username?: string | undefined;
  avatar_url?: string | undefined;
  profile_url?: string | undefined;
}>;

export type Attachment = Readonly<{ type: string; url: string }>;

/** `ref` is resolved by the connector with the account's login; it is no secret. */
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
  /** The comment this one answers; absent at the top level. */
  parent_id?: string | undefined;
  /** The platform's page id of the post, for accounts with pages. */
  page_id?: string | undefined;
  author: Person;
  /** Written by the account (or page) itself. */
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
  /** The post that mentions, or whose comment does. */
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
  /** For platforms with several locations per account. */
  location?: string | undefined;
  media?: readonly Attachment[] | undefined;
  /** `state`: the platform's word for its review of the reply. */
  reply?: Readonly<{ text: string; updated_at: number; state?: string | undefined }> | undefined;
  created_at: number;
  updated_at: number;
}>;

/** A thread of direct messages; `platform_id` is the same in every push, listing and send of the connector. */
export type PlatformConversation = Readonly<{
  platform_id: string;
  page_id?: string | undefined;
  participant: Person;
  /** The platform's unread count, if the backfill shows it. */
  unread?: number | undefined;
  /** What the connector needs to send into it. */
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
  /** The correlation id of our own send, if the platform returns it. */
  correlation_id?: string | undefined;
  status?: 'sent' | 'delivered' | 'read' | undefined;
  /** `referral`, `quick_reply`, … as the events carry them. */
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
