import type { PlatformReason } from '../kernel/errors.ts';
import type { PlatformSlug } from '../kernel/platforms.ts';
import type { Comments, Inbox, Mentions, Messages, PageProfile, Pages, Push, Reviews } from './inbox.ts';

/** Where a connector talks to: base URLs without a trailing slash, by the connector's own names. */
export type Hosts = Readonly<Record<string, string>>;

/** What a connector needs to act for an account; stored sealed, opaque to everyone else. */
export type Session = Readonly<Record<string, unknown>>;

/** How long a request may take that does not say it itself; leases on what it is made for outlive it. */
export const REQUEST_MS = 30_000;

export type PlatformRequest = Readonly<{
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** A user named this address (or a document we were led to did): the address guard looks at it. */
  given?: boolean;
  /** Path without ids, for the log. */
  template: string;
  maxBytes?: number;
  /** What a longer body means: `refuse` (else) fails the call, `truncate` keeps its beginning. */
  overflow?: 'refuse' | 'truncate';
  deadlineMs?: number;
  redirects?: 0 | 1 | 2 | 3;
}>;

export type PlatformAnswer = Readonly<{
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
}>;

/** What every connector call gets besides its arguments: addresses, time and the one HTTP client. */
export type UnauthenticatedCall = Readonly<{
  hosts: Hosts;
  now(): number;
  http(request: PlatformRequest): Promise<PlatformAnswer>;
}>;

/** A call for a connected account. */
export type AccountCall = UnauthenticatedCall & Readonly<{ session: Session }>;

export type Profile = Readonly<{
  platform_user_id: string;
  username: string;
  name: string;
  bio?: string | undefined;
  profile_picture_url?: string | undefined;
  profile_url?: string | undefined;
  user_email?: string | undefined;
  metadata?: Readonly<Record<string, unknown>>;
}>;

export type Connected = Readonly<{
  profile: Profile;
  session: Session;
  expiresAt?: number | undefined;
  /** Where accounts have pages: those the person granted. */
  pages?: readonly PageProfile[];
}>;
export type Renewed = Readonly<{ session: Session; expiresAt?: number | undefined }>;

/** One field of our own connect form. */
export type FormField = Readonly<{
  name: string;
  label: string;
  hint: string;
  type: 'text' | 'password' | 'url';
  required: boolean;
  autocomplete?: string;
}>;

/** Accounts are connected by secrets typed into our own form, or passed as metadata. */
export type DirectConnect = Readonly<{
  kind: 'direct';
  form: readonly FormField[];
  /** Metadata with all of these connects at once, without a form. */
  required: readonly string[];
  /** Whether the fields name a server of the account's own, which no twin stands in for. */
  namesServer?(fields: Readonly<Record<string, string>>): boolean;
  login(call: UnauthenticatedCall, fields: Readonly<Record<string, string>>): Promise<Connected>;
  refresh?(call: AccountCall): Promise<Renewed>;
  revoke?(call: AccountCall): Promise<void>;
}>;

/** Accounts are connected by sending the person to the platform's consent page. */
export type OAuthConnect = Readonly<{
  kind: 'oauth';
  /** A code is of no use without the secrets that `begin` answered. */
  needsState?: true;
  begin(
    call: UnauthenticatedCall,
    ask: Readonly<{ state: string; callback: string; client: OAuthClient }>,
  ): Promise<Readonly<{ url: string; secrets: Readonly<Record<string, string>> }>>;
  finish(
    call: UnauthenticatedCall,
    back: Readonly<{
      params: Readonly<Record<string, string>>;
      secrets: Readonly<Record<string, string>>;
      callback: string;
      client: OAuthClient;
    }>,
  ): Promise<readonly Connected[]>;
  refresh?(call: AccountCall, client: OAuthClient): Promise<Renewed>;
  revoke?(call: AccountCall, client: OAuthClient): Promise<void>;
}>;

export type OAuthClient = Readonly<{ clientId: string; clientSecret: string }>;

export type CreatorInfo = Readonly<{
  nickname: string;
  avatar_url: string | null;
  can_post: boolean;
  max_video_duration_sec: number;
  privacy_level_options: readonly string[];
  interaction_settings: Readonly<Record<string, boolean>>;
}>;

export type MediaKind = 'image' | 'video' | 'audio' | 'file';

/** A media item of a post, as it is known before its bytes are read. */
export type OutgoingMedia = Readonly<{
  /** What `open` takes. */
  ref: string;
  kind: MediaKind;
  /** Facts of stored items; those of a URL are unknown until it is opened. */
  content_type?: string | undefined;
  size_bytes?: number | undefined;
  width?: number | undefined;
  height?: number | undefined;
  duration_ms?: number | undefined;
  filename?: string | undefined;
}>;

/** A media item with its bytes; type and dimensions are read from them. */
export type OpenedMedia = Readonly<{
  bytes: Uint8Array;
  content_type: string;
  width?: number | undefined;
  height?: number | undefined;
  duration_ms?: number | undefined;
}>;

export type OutgoingSegment = Readonly<{ text: string; media: readonly OutgoingMedia[] }>;

/** What one target is to publish: per-target overrides are already applied. */
export type OutgoingPost = Readonly<{
  text: string;
  title?: string | undefined;
  media: readonly OutgoingMedia[];
  /** Further posts of a thread, in order, after the first one (text, media). */
  segments: readonly OutgoingSegment[];
  visibility: string;
  first_comment?: string | undefined;
  /** The part of platform_data meant for this platform. */
  options: Readonly<Record<string, unknown>>;
  page_id?: string | undefined;
}>;

/**
 * How repeatable a step is: `invisible` makes nothing public, `idempotent` does the same once more,
 * `visible` must never be repeated blindly and needs `settle` (rulings §3).
 */
export type StepKind = 'invisible' | 'idempotent' | 'visible';
export type Step = Readonly<{
  name: string;
  kind: StepKind;
  /**
   * What it adds to a post that is public without it: it is done after the post has been published, and when it cannot
   * be done its result is `{ refused: <why> }` and nothing fails. `address`: by what people know the post.
   */
  optional?: 'first_comment' | 'address';
}>;

/** Results of the steps already done, by name; JSON values as they were committed. */
export type Done = Readonly<Record<string, unknown>>;

export type PublishCall = AccountCall &
  Readonly<{
    post: OutgoingPost;
    done: Done;
    /** Reads a media item; a source that cannot be read throws a PlatformError with outcome refused. */
    open(ref: string): Promise<OpenedMedia>;
  }>;

export type Published = Readonly<{
  platform_post_id: string;
  permalink?: string | undefined;
  metadata?: Readonly<Record<string, unknown>>;
}>;

export type Settled = Readonly<{ made: unknown }> | 'absent' | 'unknown';

export type Publish = Readonly<{
  /**
   * The steps of a post, in order, optional ones last. What was done may tell that steps to come are not needed; else
   * the same post always has the same steps.
   */
  steps(post: OutgoingPost, done?: Done): readonly Step[];
  /** Does one step; the answer is committed before the next step starts. */
  run(call: PublishCall, step: string): Promise<unknown>;
  /** The facts of the published post, out of the step results alone; optional ones may be missing. */
  finish(done: Done, hosts: Hosts): Published;
  settle?(call: PublishCall, step: string): Promise<Settled>;
}>;

export type Issue = Readonly<{ field: string; message: string; segment_index?: number }>;

/** Limits of a platform as data; answered by get_constraints and used by validate_post (clients.md § Post). */
export type PostRules = Readonly<{
  text: Readonly<{
    max_length: number;
    counting_mode: 'chars' | 'utf16' | 'bytes' | 'graphemes';
    max_bytes?: number;
    max_hashtags?: number;
    max_mentions?: number;
  }>;
  media: Readonly<{
    max_image_size_bytes: number;
    max_video_size_bytes: number;
    max_video_duration_sec?: number;
    min_video_duration_sec?: number;
    supported_image_types: readonly string[];
    supported_video_types: readonly string[];
    /** Sources a target may take media from. */
    sources: readonly ('media_id' | 'url' | 'platform_attachment_id')[];
  }>;
  carousel: Readonly<{
    supported: boolean;
    min_items: number;
    max_items: number;
    allow_video: boolean;
    images_only: boolean;
  }>;
  /** Text alone is a post; false where media is needed. */
  text_only: boolean;
  threads: Readonly<{ supported: boolean; max_segments: number }>;
  first_comment: boolean;
  visibilities: readonly string[];
}>;

export type PostMetrics = Readonly<{
  likes: number;
  comments: number;
  shares: number;
  saves: number;
  extra?: Readonly<Record<string, number>>;
}>;

export type ListedPost = Readonly<{
  platform_post_id: string;
  permalink?: string | undefined;
  text: string;
  created_at: number;
  media: readonly Readonly<{ type: string; url: string }>[];
  /** Absent while the platform cannot count. */
  metrics?: PostMetrics | undefined;
  page_id?: string | undefined;
}>;

/**
 * A platform: what a member does not exist, the platform does not support, and the operation that needs it
 * answers 501 `resource.not_supported` (design §4). Nothing is stubbed.
 */
export type Platform = Readonly<{
  slug: PlatformSlug;
  /** Accounts have pages (facebook, linkedin). */
  pages?: Pages;
  hosts: Readonly<{
    real: Hosts;
    /** Hosts of the twin: `api` is reached by this server, `web` by people's browsers. */
    sandbox(base: Readonly<{ api: string; web: string }>): Hosts;
  }>;
  connect: DirectConnect | OAuthConnect;
  posts?: Readonly<{
    rules: PostRules;
    /** What the rules as data cannot say. */
    check?(post: OutgoingPost): readonly Issue[];
    publish: Publish;
    remove?(call: AccountCall, platformPostId: string, metadata: Readonly<Record<string, unknown>>): Promise<void>;
    /** Why posts of this kind cannot be removed, on a platform where others can. */
    irremovable?(metadata: Readonly<Record<string, unknown>>): string | undefined;
    list?(
      call: AccountCall,
      page: Readonly<{ limit: number; cursor?: string | undefined; pageId?: string | undefined }>,
    ): Promise<Readonly<{ posts: readonly ListedPost[]; cursor?: string | undefined }>>;
    /** How many posts `list` is asked for by a sync, per page of an account. */
    syncDepth?: number;
    /** Whether a listed post is what was published under another id, where a post may get its own only later. */
    isSame?(publishedId: string, listed: ListedPost): boolean;
    /** Metrics by platform post id, many at once; ids the platform does not know are absent. */
    metrics?(call: AccountCall, platformPostIds: readonly string[]): Promise<ReadonlyMap<string, PostMetrics>>;
  }>;
  comments?: Comments;
  messages?: Messages;
  mentions?: Mentions;
  reviews?: Reviews;
  push?: Push;
  inbox?: Inbox;
  /** Remaining counts by name, such as `posts_remaining`; empty where the platform has no ceiling. */
  limits?(call: AccountCall): Promise<Readonly<Record<string, number>>>;
  creatorInfo?(call: AccountCall): Promise<CreatorInfo>;
}>;

export type FailureKind =
  /** The platform's own final refusal. */
  | 'refused'
  /** Throttled: nothing happened, later it may. */
  | 'throttled'
  /** Provably nothing left this machine. */
  | 'not_sent'
  /** It may or may not have taken effect; everything unlisted is this. */
  | 'unknown';

/** A connector's failure, sorted by the connector's own table. Raw upstream text goes to the log only. */
export class PlatformError extends Error {
  override name = 'PlatformError';
  readonly kind: FailureKind;
  readonly reason: PlatformReason;
  readonly status: number | undefined;
  /** Seconds until it may be tried again. */
  readonly retryAfter: number | undefined;
  /** The platform's own code and text, for the log and the stored attempt. */
  readonly upstream: string | undefined;
  /** The session is expired, not revoked: refreshing it once is worth a try. */
  readonly expired: boolean;

  constructor(
    outcome: FailureKind,
    reason: PlatformReason,
    message: string,
    detail: Readonly<{
      status?: number;
      retryAfter?: number | undefined;
      upstream?: string;
      expired?: boolean;
      cause?: unknown;
    }> = {},
  ) {
    super(message, { cause: detail.cause });
    this.kind = outcome;
    this.reason = reason;
    this.status = detail.status;
    this.retryAfter = detail.retryAfter;
    this.upstream = detail.upstream;
    this.expired = detail.expired ?? false;
  }
}
