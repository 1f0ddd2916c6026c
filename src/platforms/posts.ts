import type { Counting } from '#kernel/text/length.ts';
import type { Cost } from './app/quotas.ts';
import type { AccountCall, Hosts, Keeping } from './call.ts';
import type { PlatformError } from './errors.ts';
import type { SkippedPage } from './inbound.ts';
import type { LinkRequest, MediaKind, MediaRef, OpenedMedia, OutgoingMedia } from './media.ts';
import type { PictureRules } from '#kernel/pictures/picture.ts';
import type { TextRule } from './sending.ts';

export type OutgoingSegment = Readonly<{ text: string; media: readonly OutgoingMedia[] }>;

/** What one target publishes, with per-target overrides applied. */
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

/** `invisible` publishes nothing, `idempotent` is repeatable, `visible` is neither: docs/contract/publishing.md#steps */
export type StepKind = 'invisible' | 'idempotent' | 'visible';

export type Step = Readonly<{
  name: string;
  kind: StepKind;
  /** An addition to a post that is public without it; its failure is kept as `{ refused: <why> }`. */
  optional?: 'first_comment' | 'address';
  /** How long the step may be pending in all, in milliseconds; 10 minutes by default. */
  maxWaitMs?: number;
  /** Other steps that a retry repeats once the platform says their result failed; nothing may be public by them. */
  redo?: readonly string[];
  /** The result holds secrets, such as an upload URL, and is encrypted. */
  secret?: true;
}>;

/** Results of the completed steps, by name; JSON values as they were committed. */
export type Done = Readonly<Record<string, unknown>>;

/** What a step's call keeps is encrypted. */
export type PublishCall = AccountCall &
  Keeping &
  Readonly<{
    post: OutgoingPost;
    done: Done;
    /** Reads a media item; throws a `refused` PlatformError if its source cannot be read. */
    open(ref: string): Promise<OpenedMedia>;
    /** A URL at which the platform fetches a media item, if the rules say so (`pulls`). */
    link(ref: string, request: LinkRequest): Promise<string>;
  }>;

/** Looks up the outcome of a visible step that was sent at `sentAt`. */
export type LookupCall = PublishCall & Readonly<{ sentAt: number }>;

export type PublicSegment = Readonly<{ platform_post_id: string; permalink: string | null }>;

export type Published = Readonly<{
  platform_post_id: string;
  permalink?: string | undefined;
  /** The public posts of a thread, in order. */
  segments?: readonly PublicSegment[];
  metadata?: Readonly<Record<string, unknown>>;
}>;

export type Settled = Readonly<{ made: unknown }> | 'absent' | 'unknown';

export type Publish = Readonly<{
  /** The steps of a post in a fixed order, optional ones last; earlier results may make later ones unnecessary. */
  steps(post: OutgoingPost, done?: Done): readonly Step[];
  /** Runs one step; its result is committed before the next step starts. */
  run(call: PublishCall, step: string): Promise<unknown>;
  /** The published post from step results alone, of which optional ones and those of missing thread posts may lack. */
  finish(done: Done, hosts: Hosts): Published;
  settle?(call: LookupCall, step: string): Promise<Settled>;
}>;

export type Issue = Readonly<{ field: string; message: string; segment_index?: number }>;

/** What a post may say to one platform in `platform_data`, as a JSON Schema. */
export type OptionsSchema = Readonly<{
  type: 'object';
  properties: Readonly<Record<string, unknown>>;
  required?: readonly string[];
}>;

/** A check of posts, and the options that it reads. */
export type PostCheck = ((post: OutgoingPost) => readonly Issue[]) & Readonly<{ options?: () => OptionsSchema }>;

/** Limits of a platform as data; answered by get_constraints and used by validate_post. */
export type PostRules = Readonly<{
  text: Readonly<{
    max_length: number;
    /** The text limit of a post with photos, or with a video, if it differs; its connector checks it. */
    photo_max_length?: number;
    video_max_length?: number;
    counting_mode: Counting;
    max_bytes?: number;
    max_hashtags?: number;
    max_mentions?: number;
    max_links?: number;
  }>;
  title?: TextRule & Readonly<{ required: boolean }>;
  media: Readonly<{
    max_image_size_bytes: number;
    max_video_size_bytes: number;
    max_video_duration_sec?: number;
    min_video_duration_sec?: number;
    supported_image_types: readonly string[];
    /** Types of images inside the options, such as a thumbnail, if they differ from those of posts. */
    attached_image_types?: readonly string[];
    supported_video_types: readonly string[];
    /** Types of documents, if a post may be one. */
    documents?: readonly string[];
    max_document_size_bytes?: number;
    /** The form of pictures; others are made to fit before they are sent. */
    pictures?: PictureRules;
    /** The platform fetches media itself: from any URL, or only from this server. */
    pulls?: 'any_address' | 'our_address';
    /** The kinds of media that it fetches itself, if others are uploaded. */
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
  /** Text alone is a post; false if media is required. */
  text_only: boolean;
  /** A post without media is refused with a code of the platform. */
  media_required?: true;
  threads: Readonly<{ supported: boolean; max_segments: number }>;
  first_comment: false | TextRule;
  /** A post goes to a board of the account. */
  board?: 'required';
  visibilities: readonly string[];
}>;

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
  video?: Readonly<{ duration_ms?: number | undefined; width?: number | undefined; height?: number | undefined }>;
  /** Absent while the platform cannot count. */
  metrics?: PostMetrics | undefined;
  page_id?: string | undefined;
}>;

/** A published post to measure: the platform's ids of it and its page, and what `finish` kept. */
export type MeasuredPost = Readonly<{
  id: string;
  page_id?: string | undefined;
  metadata: Readonly<Record<string, unknown>>;
}>;

/** Metrics by the platform's post ids, or why they are refused. */
export type Measured = ReadonlyMap<string, PostMetrics | PlatformError>;

/** A page of listed posts; `skipped` are the parts that the platform refused to show. */
export type ListedPosts = Readonly<{
  posts: readonly ListedPost[];
  cursor?: string | undefined;
  skipped?: readonly SkippedPage[];
}>;

export type Posts = Readonly<{
  rules: PostRules;
  check?: PostCheck;
  /** Undocumented or account-specific refusals that validate_post warns of. */
  doubts?(post: OutgoingPost, metadata?: Readonly<Record<string, unknown>>): readonly Issue[];
  /** Posts whose pictures may have any shape. */
  anyShape?(post: OutgoingPost): boolean;
  /** Media inside the options, such as a cover; held to the media rules, and to `type` if given. */
  attached?(options: OutgoingPost['options']): readonly MediaRef[];
  publish: Publish;
  /** Why an account cannot publish as it is connected, by its metadata, though its platform can. */
  hindrance?(metadata: Readonly<Record<string, unknown>>): string | undefined;
  boards?(call: AccountCall): Promise<readonly Board[]>;
  remove?(call: AccountCall, platformPostId: string, metadata: Readonly<Record<string, unknown>>): Promise<void>;
  /** Why such a post cannot be removed though others can, by its metadata, or its options before publishing. */
  irremovable?(about: Readonly<Record<string, unknown>>): string | undefined;
  list?(
    call: AccountCall,
    page: Readonly<{ limit: number; cursor?: string | undefined; pageId?: string | undefined }>,
  ): Promise<ListedPosts>;
  /** Number of posts that a sync requests from `list`, per page of an account. */
  syncDepth?: number;
  /** Whether a listed post was published under another id, if posts get their final one later. */
  isSame?(publishedId: string, listed: ListedPost): boolean;
  /** Metrics of many posts; those the platform does not know are absent. */
  metrics?(call: AccountCall, posts: readonly MeasuredPost[]): Promise<Measured>;
  /** The quota cost of the metrics of fifty posts. */
  metricsCost?: Cost;
}>;

/** The parts of a try that a platform may not support, or not for such a post. */
export type TriedPart = 'read' | 'permalink' | 'comment' | 'metrics' | 'remove';

/** What distinguishes such a post from others. */
type PostMembers = Readonly<Partial<Pick<OutgoingPost, 'title' | 'visibility' | 'options'>>>;

/** The least visible post that a platform allows, for `rostra verify`. */
export type Verification = Readonly<{
  /** Who may see it, and for how long: "nobody but the account", "everybody, until it is deleted". */
  seenBy: string;
  post?: PostMembers | ((page: string | undefined) => PostMembers);
  media?: 'image' | 'video';
  /** Steps from this one on are skipped: the earlier ones show nothing to anybody. */
  stopsBefore?: string;
  /** What cannot be tried on it, and why. */
  without?: Readonly<Partial<Record<TriedPart, string>>>;
  /** What remains if nothing can be removed, and how it goes away. */
  leaves?: string;
}>;
