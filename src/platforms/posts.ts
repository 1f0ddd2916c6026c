import type { Counting } from '#kernel/text/length.ts';
import type { Cost } from './app/quotas.ts';
import type { AccountCall, Hosts, Keeping } from './call.ts';
import type { PlatformError } from './errors.ts';
import type { SkippedPage } from './inbound.ts';
import type { LinkRequest, MediaKind, MediaRef, OpenedMedia, OutgoingMedia } from './media.ts';
import type { TextRule } from './sending.ts';

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
  board_id?: string | undefined;
}>;

/**
 * Repeatability of a step: `invisible` makes nothing public, `idempotent` may be repeated, `visible` must never be
 * repeated blindly and needs `settle`. docs/contract/publishing.md#steps
 */
export type StepKind = 'invisible' | 'idempotent' | 'visible';

export type Step = Readonly<{
  name: string;
  kind: StepKind;
  /**
   * What the step adds to a post that is public without it. It runs after publishing; if it fails, its result is `{
   * refused: <why> }` and the post does not fail. `address`: the public id or permalink.
   */
  optional?: 'first_comment' | 'address';
  /** How long the step may be pending in all, in milliseconds; 10 minutes by default. */
  maxWaitMs?: number;
  /**
   * The steps that a retry does anew, besides this one, where the platform says that what they made came to nothing. It
   * has to be sure that nothing is public by them.
   */
  redo?: readonly string[];
  /** The result holds secrets, such as an upload address, and is sealed. */
  secret?: true;
}>;

/** Results of the steps already done, by name; JSON values as they were committed. */
export type Done = Readonly<Record<string, unknown>>;

/** The call of a step; what it keeps is sealed. */
export type PublishCall = AccountCall &
  Keeping &
  Readonly<{
    post: OutgoingPost;
    done: Done;
    /** Reads a media item; a source that cannot be read throws a PlatformError with outcome refused. */
    open(ref: string): Promise<OpenedMedia>;
    /** An address at which the platform fetches a media item, where the rules say that it does (`pulls`). */
    link(ref: string, request: LinkRequest): Promise<string>;
  }>;

/** The call that looks up what became of a visible step, which was sent at `sentAt`. */
export type LookupCall = PublishCall & Readonly<{ sentAt: number }>;

/** One public post of a thread. */
export type PublicSegment = Readonly<{ platform_post_id: string; permalink: string | null }>;

export type Published = Readonly<{
  platform_post_id: string;
  permalink?: string | undefined;
  /** Those of a thread that are public, in order. */
  segments?: readonly PublicSegment[];
  metadata?: Readonly<Record<string, unknown>>;
}>;

export type Settled = Readonly<{ made: unknown }> | 'absent' | 'unknown';

export type Publish = Readonly<{
  /**
   * The steps of a post, in order, optional ones last. Results of earlier steps may make later ones unnecessary; else
   * the same post always has the same steps.
   */
  steps(post: OutgoingPost, done?: Done): readonly Step[];
  /** Does one step; the answer is committed before the next step starts. */
  run(call: PublishCall, step: string): Promise<unknown>;
  /**
   * The published post, from the step results alone; optional ones may be missing, and of a thread that stopped half-way
   * those of the posts that are not there.
   */
  finish(done: Done, hosts: Hosts): Published;
  settle?(call: LookupCall, step: string): Promise<Settled>;
}>;

export type Issue = Readonly<{ field: string; message: string; segment_index?: number }>;

/** Limits of a platform as data; answered by get_constraints and used by validate_post. */
export type PostRules = Readonly<{
  text: Readonly<{
    max_length: number;
    /** What a post with photos, or with a video, may say, where that is another length; its connector checks it. */
    photo_max_length?: number;
    video_max_length?: number;
    counting_mode: Counting;
    max_bytes?: number;
    max_hashtags?: number;
    max_mentions?: number;
    max_links?: number;
  }>;
  /** Posts have a title. */
  title?: TextRule & Readonly<{ required: boolean }>;
  media: Readonly<{
    max_image_size_bytes: number;
    max_video_size_bytes: number;
    max_video_duration_sec?: number;
    min_video_duration_sec?: number;
    supported_image_types: readonly string[];
    /** Types of images inside the options, such as a thumbnail, where they differ from those of posts. */
    attached_image_types?: readonly string[];
    supported_video_types: readonly string[];
    /** Types of documents, where a post may be one. */
    documents?: readonly string[];
    max_document_size_bytes?: number;
    /** The platform fetches media itself: from any address, or from addresses of this server alone. */
    pulls?: 'any_address' | 'our_address';
    /** The kinds of media that it fetches itself, where others are uploaded. */
    pulled?: readonly MediaKind[];
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
  /** A post without media is refused with a code of the platform. */
  media_required?: true;
  threads: Readonly<{ supported: boolean; max_segments: number }>;
  first_comment: false | TextRule;
  /** A post goes to a board of the account. */
  board?: 'required';
  visibilities: readonly string[];
}>;

/** A board of an account, where posts go to boards. */
export type Board = Readonly<{ board_id: string; name: string; privacy: string }>;

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
  title?: string | undefined;
  text: string;
  created_at: number;
  media: readonly Readonly<{ type: string; url: string }>[];
  /** What the platform says of its video. */
  video?: Readonly<{ duration_ms?: number | undefined; width?: number | undefined; height?: number | undefined }>;
  /** Absent while the platform cannot count. */
  metrics?: PostMetrics | undefined;
  page_id?: string | undefined;
}>;

/** A published post whose metrics are read: the platform's ids of it and of its page, and what `finish` kept of it. */
export type MeasuredPost = Readonly<{
  id: string;
  page_id?: string | undefined;
  metadata: Readonly<Record<string, unknown>>;
}>;

/** The metrics of posts by the platform's ids, or why it refuses to show them. */
export type Measured = ReadonlyMap<string, PostMetrics | PlatformError>;

/** A page of listed posts; `skipped` are the parts that the platform refused to show. */
export type ListedPosts = Readonly<{
  posts: readonly ListedPost[];
  cursor?: string | undefined;
  skipped?: readonly SkippedPage[];
}>;

/** Publishing, and reads of posts. */
export type Posts = Readonly<{
  rules: PostRules;
  /** Checks that the declarative rules cannot express. */
  check?(post: OutgoingPost): readonly Issue[];
  /**
   * What the platform may refuse, although its documentation does not say so, or will to an account with this metadata:
   * validate_post warns of it.
   */
  doubts?(post: OutgoingPost, metadata?: Readonly<Record<string, unknown>>): readonly Issue[];
  /**
   * The media inside the options of a post, such as a cover or a thumbnail; `open` and `link` take their sources. They are
   * held to the rules for media, and with `type` to that type.
   */
  attached?(options: OutgoingPost['options']): readonly MediaRef[];
  publish: Publish;
  /** Why nothing of an account can be published as it is connected, though its platform publishes; by its metadata. */
  hindrance?(metadata: Readonly<Record<string, unknown>>): string | undefined;
  /** The boards of the account, where a post goes to one. */
  boards?(call: AccountCall): Promise<readonly Board[]>;
  remove?(call: AccountCall, platformPostId: string, metadata: Readonly<Record<string, unknown>>): Promise<void>;
  /**
   * Why posts of this kind cannot be removed, on a platform where others can; by the metadata of a published one, or the
   * options of one that is not published yet.
   */
  irremovable?(about: Readonly<Record<string, unknown>>): string | undefined;
  list?(
    call: AccountCall,
    page: Readonly<{ limit: number; cursor?: string | undefined; pageId?: string | undefined }>,
  ): Promise<ListedPosts>;
  /** Number of posts that a sync requests from `list`, per page of an account. */
  syncDepth?: number;
  /** Whether a listed post is what was published under another id, where a post may get its own only later. */
  isSame?(publishedId: string, listed: ListedPost): boolean;
  /** Metrics by platform post id, many at once; posts the platform does not know are absent. */
  metrics?(call: AccountCall, posts: readonly MeasuredPost[]): Promise<Measured>;
  /** What reading the metrics of fifty posts uses of a quota. */
  metricsCost?: Cost;
}>;

/** The parts of a try that a platform may have no way for, or not with such a post. */
export type TriedPart = 'read' | 'permalink' | 'comment' | 'metrics' | 'remove';

/** What tells such a post from any other. */
type PostMembers = Readonly<Partial<Pick<OutgoingPost, 'title' | 'visibility' | 'options'>>>;

/** The least visible post that a platform allows, for `rostra verify`: what it is besides its text. */
export type Verification = Readonly<{
  /** Who may see it, and for how long: "nobody but the account", "everybody, until it is deleted". */
  seenBy: string;
  post?: PostMembers | ((page: string | undefined) => PostMembers);
  /** The file that it needs. */
  media?: 'image' | 'video';
  /** The steps from this one on are not done: what those before it make is shown to nobody. */
  stopsBefore?: string;
  /** What cannot be tried on it, and why. */
  without?: Readonly<Partial<Record<TriedPart, string>>>;
  /** What is left behind where nothing can be removed, and how it goes away. */
  leaves?: string;
}>;
