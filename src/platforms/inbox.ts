import type { AccountCall, MediaKind, OpenedMedia, OutgoingMedia, Session } from './platform.ts';

/** Somebody on the platform, by the platform's own id. An empty name is one the platform has not told yet. */
export type Person = Readonly<{
  id: string;
  name: string;
  username?: string | undefined;
  avatar_url?: string | undefined;
  profile_url?: string | undefined;
}>;

export type Attachment = Readonly<{ type: string; url: string }>;

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
  /** The platform's id of the page the post belongs to, where accounts have pages. */
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
  /** Where the platform keeps several places under one account. */
  location?: string | undefined;
  reply?: Readonly<{ text: string; updated_at: number }> | undefined;
  created_at: number;
  updated_at: number;
}>;

/** A thread of direct messages; `platform_id` is the same in every push, listing and send of the connector. */
export type PlatformConversation = Readonly<{
  platform_id: string;
  page_id?: string | undefined;
  participant: Person;
  /** How many messages the platform calls unread, where history tells it. */
  unread?: number | undefined;
  /** What the connector needs to send into it. */
  metadata?: Readonly<Record<string, unknown>>;
}>;

export type PlatformMessage = Readonly<{
  platform_id: string;
  direction: 'incoming' | 'outgoing';
  text: string;
  attachments: readonly Attachment[];
  created_at: number;
  /** The platform's id of the message this one answers. */
  reply_to?: string | undefined;
  /** The mark of our own send that made it, where the platform hands it back. */
  correlation_id?: string | undefined;
  status?: 'sent' | 'delivered' | 'read' | undefined;
  /** `referral`, `quick_reply`, … as the events carry them. */
  metadata?: Readonly<Record<string, unknown>>;
}>;

/** Something that happened on the platform, however we came to know of it. */
export type InboundEvent =
  /** `edited`: a comment that was there before has changed; one that is told again without it changes nothing. */
  | Readonly<{ kind: 'comment'; comment: PlatformComment; edited?: true }>
  | Readonly<{ kind: 'comment_gone'; platform_id: string }>
  | Readonly<{ kind: 'comment_hidden'; platform_id: string; hidden: boolean }>
  | Readonly<{ kind: 'mention'; mention: PlatformMention }>
  | Readonly<{ kind: 'review'; review: PlatformReview }>
  | Readonly<{ kind: 'message'; conversation: PlatformConversation; message: PlatformMessage }>
  | Readonly<{ kind: 'message_gone'; platform_id: string }>
  | Readonly<{
      kind: 'postback';
      conversation: PlatformConversation;
      platform_id: string;
      title: string;
      payload: string;
      metadata?: Readonly<Record<string, unknown>>;
      at: number;
    }>
  | Readonly<{
      kind: 'referral';
      conversation: PlatformConversation;
      platform_id: string;
      /** `{ad_id, source, type, ref, ads_context_data}` as far as known. */
      referral: Readonly<Record<string, unknown>>;
      at: number;
    }>
  /** Messages of ours, by id or all up to an instant (milliseconds). */
  | Readonly<{
      kind: 'receipt';
      status: 'delivered' | 'read';
      conversation: string;
      message_ids?: readonly string[] | undefined;
      watermark?: number | undefined;
      at: number;
    }>
  /** A post that has or may have comments. */
  | Readonly<{ kind: 'post'; post: PlatformPost }>
  /** The person took our access back. */
  | Readonly<{ kind: 'revoked'; why: string }>
  /** The person demands that what we hold of them is deleted. */
  | Readonly<{ kind: 'deletion' }>;

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

/** A fact with whom it is about: an account by its platform user id, or by one of its pages. */
export type PushedEvent = Readonly<{ user?: string | undefined; page?: string | undefined; event: InboundEvent }>;

export type PushRequest = Readonly<{
  /** Below `/push/<slug>`: '' or a path of the connector's own, such as 'deauthorize'. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
}>;

/** Inbound webhooks of a platform. All of it is pure: nothing here may call out. */
export type Push = Readonly<{
  /** What to answer when the platform asks whether the address is ours; undefined refuses. */
  handshake?(query: Readonly<Record<string, string>>, verifyToken: string): string | undefined;
  /** True when the platform signed this request with the secret of our app; compared in constant time. */
  verify(request: PushRequest, appSecret: string): boolean;
  /** What a verified request tells; parts that cannot be read are left out. */
  read(request: PushRequest): readonly PushedEvent[];
  /** The body of our 200 where the platform wants one: JSON, out of the address of a status page and a code. */
  answer?(request: PushRequest, status: Readonly<{ url: string; code: string }>): unknown;
  /**
   * Asks the platform for what a push leaves out (a name, a text). Called once per fact that is not stored yet;
   * when it fails the fact is stored as it came.
   */
  complete?(call: AccountCall, fact: InboundEvent): Promise<InboundEvent>;
  /** Tells the platform where to push for this app; repeated calls change nothing. */
  register?(
    call: Omit<AccountCall, 'session'>,
    ask: Readonly<{ clientId: string; clientSecret: string; callback: string; verifyToken: string }>,
  ): Promise<void>;
}>;

export type Paging = Readonly<{ limit: number; cursor?: string | undefined }>;
export type Listed<T> = Readonly<{ items: readonly T[]; cursor?: string | undefined }>;

/** Where a comment operation takes place, by the platform's ids. */
export type CommentPlace = Readonly<{ post: string; page?: string | undefined }>;

/** A call that may send bytes of media. */
export type SendCall = AccountCall & Readonly<{ open(ref: string): Promise<OpenedMedia> }>;

/** What a send is told about itself: what `prepare` answered, our mark, and when it was first sent. */
export type SendState = Readonly<{ prepared: unknown; correlationId: string; sentAt: number }>;

/** The same for a look-up, with the ids of what other sends of the account made: none of them is what is looked for. */
export type SettleState = SendState & Readonly<{ taken: ReadonlySet<string> }>;

/**
 * One effect that people see. `prepare`'s answer is committed before anything leaves. After an answer that was lost
 * nothing is sent again unless it is `idempotent` or `settle` says `absent`.
 */
export type Sending<Ask, Made> = Readonly<{
  prepare?(call: SendCall, ask: Ask): Promise<unknown>;
  send(call: SendCall, ask: Ask, state: SendState): Promise<Made>;
  /** The same send, with the same plan, does nothing the second time and answers the same. */
  idempotent?: true;
  settle?(call: SendCall, ask: Ask, state: SettleState): Promise<Made | 'absent' | 'unknown'>;
}>;

export type TextRule = Readonly<{ max: number; counting: 'chars' | 'utf16' | 'bytes' | 'graphemes' }>;

export type ReplyRequest = CommentPlace & Readonly<{ comment?: string | undefined; text: string }>;
/** `comment` where the platform tells more than the id. */
export type MadeComment = Readonly<{ comment_id: string; permalink?: string | undefined }>;
export type SentMessage = Readonly<{
  message_id: string;
  /** The thread it went into, where the caller could not know it. */
  conversation?: PlatformConversation | undefined;
  created_at?: number | undefined;
}>;

export type Comments = Readonly<{
  text: TextRule;
  /** Comments at the top level, oldest first. A post the platform does not know refuses with not_found. */
  list(
    call: AccountCall,
    place: CommentPlace,
    page: Paging & Readonly<{ since?: number | undefined; filters?: Readonly<Record<string, string>> }>,
  ): Promise<Listed<PlatformComment>>;
  replies?(
    call: AccountCall,
    place: CommentPlace & Readonly<{ comment: string }>,
    page: Paging & Readonly<{ since?: number | undefined }>,
  ): Promise<Listed<PlatformComment>>;
  reply?: Sending<ReplyRequest, MadeComment>;
  /** Whether an id that nobody told us of is a comment below this post, and no post: those have rights of their own. */
  isComment(call: AccountCall, place: CommentPlace & Readonly<{ comment: string }>): Promise<boolean>;
  /** Gone already is success, for all of these. */
  remove?(call: AccountCall, place: CommentPlace & Readonly<{ comment: string }>): Promise<void>;
  hide?(call: AccountCall, place: CommentPlace & Readonly<{ comment: string }>, hidden: boolean): Promise<void>;
  like?(call: AccountCall, place: CommentPlace & Readonly<{ comment: string }>, liked: boolean): Promise<void>;
  privateReply?: Sending<CommentPlace & Readonly<{ comment: string; text: string }>, SentMessage>;
}>;

export type MessageButton = Readonly<{
  type: 'url' | 'postback';
  title: string;
  payload?: string | undefined;
  url?: string | undefined;
}>;

/** One message as the person sees it. */
export type Bubble =
  | Readonly<{
      kind: 'text';
      text: string;
      buttons?: readonly MessageButton[] | undefined;
      quick_replies?: readonly Readonly<{ title: string; payload?: string | undefined }>[] | undefined;
      list?: MessageList | undefined;
      reply_to?: string | undefined;
    }>
  | Readonly<{
      kind: 'attachment';
      type: MediaKind;
      /** `open(media.ref)` reads the bytes; absent for an id of the platform. */
      media?: OutgoingMedia | undefined;
      /** The public address, when the source is one. */
      url?: string | undefined;
      platform_attachment_id?: string | undefined;
      caption?: string | undefined;
      voice?: boolean | undefined;
      reply_to?: string | undefined;
    }>
  | Readonly<{
      kind: 'cards';
      cards: readonly Readonly<{
        title: string;
        subtitle?: string | undefined;
        image_url?: string | undefined;
        buttons?: readonly MessageButton[] | undefined;
      }>[];
      reply_to?: string | undefined;
    }>;

export type MessageList = Readonly<{
  button: string;
  sections: readonly Readonly<{
    title?: string | undefined;
    rows: readonly Readonly<{ id: string; title: string; description?: string | undefined }>[];
  }>[];
}>;

/** The parts of a message a platform has; what is absent answers 501 before anything is sent. */
export type MessageParts = Readonly<{
  text: TextRule;
  attachments?: Readonly<{
    kinds: readonly MediaKind[];
    sources: readonly ('media_id' | 'url' | 'platform_attachment_id')[];
    max_bytes: number;
    /** `bubble`: a caption is said by a message of its own, right after the attachment. */
    captions?: true | 'bubble';
    voice?: true;
  }>;
  buttons?: Readonly<{
    types: readonly ('url' | 'postback')[];
    text_max: number;
    /** No two buttons may carry the same payload. */
    unique_payloads?: true;
  }>;
  cards?: Readonly<{ max: number }>;
  quick_replies?: Readonly<{ max: number }>;
  lists?: true;
  reply_to?: true;
  /** Tags that lengthen the window, with the window they give in milliseconds; absent: a tag is ignored. */
  tags?: Readonly<Record<string, number>>;
}>;

export type BubbleRequest = Readonly<{
  conversation: PlatformConversation;
  bubble: Bubble;
  tag?: string | undefined;
}>;

export type Messages = Readonly<{
  parts: MessageParts;
  bubble: Sending<BubbleRequest, SentMessage>;
  /** Tells the person that their messages were read; best effort. */
  seen?(call: AccountCall, conversation: PlatformConversation): Promise<void>;
}>;

/** A stretch of what happened; `cursor` is stored with the facts and given back next time. */
export type InboundBatch = Readonly<{ events: readonly InboundEvent[]; cursor: unknown; more: boolean }>;

/**
 * News. A reading that begins, as a whole or in one part, tells apart what it met where it begins: some of it may have
 * come after the account was connected, and later readings pass over it.
 */
export type PollBatch = InboundBatch & Readonly<{ baseline?: readonly InboundEvent[] }>;

export type Inbox = Readonly<{
  /** What was there before the account was connected, newest first; of its facts only younger ones make events. */
  history?(call: AccountCall, cursor: unknown): Promise<InboundBatch>;
  /** News of a platform that pushes nothing; `cursor` is undefined the first time. */
  poll?: Readonly<{ everyMs: number; read(call: AccountCall, cursor: unknown): Promise<PollBatch> }>;
}>;

export type Mentions = Readonly<{
  list?(
    call: AccountCall,
    page: Paging & Readonly<{ since?: number | undefined; page?: string | undefined }>,
  ): Promise<Listed<PlatformMention>>;
  text: TextRule;
  reply?: Sending<
    Readonly<{ post: string; comment?: string | undefined; page?: string | undefined; text: string }>,
    MadeComment
  >;
}>;

export type Reviews = Readonly<{
  text: TextRule;
  /** Newest first. */
  list(call: AccountCall, page: Paging & Readonly<{ since?: number | undefined }>): Promise<Listed<PlatformReview>>;
  reply: Sending<Readonly<{ review: string; text: string }>, Readonly<{ reply_id: string }>>;
  removeReply(call: AccountCall, review: string): Promise<void>;
}>;

/** A page of an account that has several. */
export type PageProfile = Readonly<{
  platform_page_id: string;
  name: string;
  username?: string | undefined;
  category?: string | undefined;
  about?: string | undefined;
  link?: string | undefined;
  profile_picture_url?: string | undefined;
  cover_photo_url?: string | undefined;
  followers_count?: number | undefined;
  verification_status?: string | undefined;
}>;

export type Pages = Readonly<{
  /** The pages the login manages now, with the session that can act for all of them. */
  read(call: AccountCall): Promise<Readonly<{ pages: readonly PageProfile[]; session: Session }>>;
  /** Asks the platform to push what happens on a page; repeated calls change nothing. */
  subscribe?(call: AccountCall, platformPageId: string): Promise<void>;
}>;
