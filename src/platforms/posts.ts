import type { Counting } from '#kernel/text/length.ts';
import type { Cost } from './app/quotas.ts';
import type { AccountCall, Hosts, Keeping } from './call.ts';
import type { PlatformError } from './errors.ts';
import type { SkippedPage } from './inbound.ts';
import type { LinkRequest, MediaKind, MediaRef, OpenedMedia, OutgoingMedia } from './media.ts';
import type { PictureRules } from '#kernel/pictures/picture.ts';
import type { TextRule } from './sending.ts';

export type OutgoingSegment = Readonly<{ text: string; media: readonly OutgoingMedia[] }>;

/** The post for one target, with per-target overrides applied. */
export type OutgoingPost = Readonly<{
  text: string;
  title?: string | undefined;
  media: readonly OutgoingMedia[];
  /** The posts of a thread after the first one, whose content is in `text` and `media`. */
  segments: readonly OutgoingSegment[];
  visibility: string;
  first_comment?: string | undefined;
  /** The part of `platform_data` for this platform. */
  options: Readonly<Record<string, unknown>>;
  page_id?: string | undefined;
  board_id?: string | undefined;
}>;

/** `invisible` publishes nothing, `idempotent` is repeatable, `visible` is neither: docs/contract/publishing.md#steps */
export type StepKind = 'invisible' | 'idempotent' | 'visible';

export type Step = Readonly<{
  name: string;
  kind: StepKind;
  /** The post is public without this step; if the step fails, its result is `{ refused: <why> }`. */
  optional?: 'first_comment' | 'address';
  /** How long the step may stay pending in total, in milliseconds; 10 minutes by default. */
  maxWaitMs?: number;
  /** Steps that a retry runs again if the platform reports that their results failed; they must not publish. */
  redo?: readonly string[];
  /** The result contains secrets, such as an upload URL, and is stored encrypted. */
  secret?: true;
}>;

/** Results of the completed steps by name, as stored (JSON). */
export type Done = Readonly<Record<string, unknown>>;

/** A step's call; the state that it keeps is stored encrypted. */
export type PublishCall = AccountCall &
  Keeping &
  Readonly<{
    post: OutgoingPost;
    done: Done;
    /** Opens a media item; throws a `refused` PlatformError if its source cannot be read. */
    open(ref: string): Promise<OpenedMedia>;
    /** A URL from which the platform fetches a media item, if the rules have `pulls`. */
    link(ref: string, request: LinkRequest): Promise<string>;
  }>;

/** The call that looks up the outcome of a visible step sent at `sentAt`. */
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
  /** The steps of a post in a fixed order, optional ones last; earlier results may remove later steps. */
  steps(post: OutgoingPost, done?: Done): readonly Step[];
  /** Runs one step; its result is committed before the next step starts. */
  run(call: PublishCall, step: string): Promise<unknown>;
  /** Builds the published post from the step results, of which some may be absent (optional steps, thread posts). */
  finish(done: Done, hosts: Hosts): Published;
  settle?(call: LookupCall, step: string): Promise<Settled>;
}>;

export type Issue = Readonly<{ field: string; message: string; segment_index?: number }>;

/** A JSON Schema of the options that a platform accepts in `platform_data`. */
export type OptionsSchema = Readonly<{
  type: 'object';
  properties: Readonly<Record<string, unknown>>;
  required?: readonly string[];
}>;

/** A check of posts, with the schema of the options it reads. */
export type PostCheck = ((post: OutgoingPost) => readonly Issue[]) & Readonly<{ options?: () => OptionsSchema }>;

/** Limits of a platform as data, returned by get_constraints and used by validate_post. */
export type PostRules = Readonly<{
  text: Readonly<{
    max_length: number;
    /** The text limit of posts with photos (or a video), if it differs; the connector checks it. */
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
    /** Types of images in the options, such as a thumbnail, if they differ from those of posts. */
    attached_image_types?: readonly string[];
    supported_video_types: readonly string[];
    /** Accepted types of documents, if a post may be a document. */
    documents?: readonly string[];
    max_document_size_bytes?: number;
    /** Accepted shapes of pictures; other pictures are adjusted before they are sent. */
    pictures?: PictureRules;
    /** Set if the platform itself fetches media: from any URL, or only from this server. */
    pulls?: 'any_address' | 'our_address';
    /** The kinds of media that the platform fetches, if others are uploaded. */
    pulled?: readonly MediaKind[];
    /** The sources from which a target accepts media. */
    sources: readonly ('media_id' | 'url' | 'platform_attachment_id')[];
  }>;
  carousel: Readonly<{
    supported: boolean;
    min_items: number;
    max_items: number;
    allow_video: boolean;
    images_only: boolean;
  }>;
  /** Whether a post may consist of text alone. */
  text_only: boolean;
  /** A post without media is rejected with an error code of the platform. */
  media_required?: true;
  threads: Readonly<{ supported: boolean; max_segments: number }>;
  first_comment: false | TextRule;
  /** A post must name a board of the account. */
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
  /** Absent if the platform does not have counts yet. */
  metrics?: PostMetrics | undefined;
  page_id?: string | undefined;
}>;

/** A published post whose metrics are read: the platform's ids of the post and its page, and stored metadata. */
export type MeasuredPost = Readonly<{
  id: string;
  page_id?: string | undefined;
  metadata: Readonly<Record<string, unknown>>;
}>;

/** Metrics by the platform's post ids, or the error for a refused post. */
export type Measured = ReadonlyMap<string, PostMetrics | PlatformError>;

/** A page of listed posts; `skipped` lists the parts that the platform refused to show. */
export type ListedPosts = Readonly<{
  posts: readonly ListedPost[];
  cursor?: string | undefined;
  skipped?: readonly SkippedPage[];
}>;

export type Posts = Readonly<{
  rules: PostRules;
  check?: PostCheck;
  /** Warnings of validate_post about refusals that are undocumented or depend on the account. */
  doubts?(post: OutgoingPost, metadata?: Readonly<Record<string, unknown>>): readonly Issue[];
  /** Whether the pictures of a post may have any shape. */
  anyShape?(post: OutgoingPost): boolean;
  /** Media in the options, such as a cover; the media rules apply, and `type` if given. */
  attached?(options: OutgoingPost['options']): readonly MediaRef[];
  publish: Publish;
  /** Why an account cannot publish with its present connection, read from its metadata. */
  hindrance?(metadata: Readonly<Record<string, unknown>>): string | undefined;
  boards?(call: AccountCall): Promise<readonly Board[]>;
  remove?(call: AccountCall, platformPostId: string, metadata: Readonly<Record<string, unknown>>): Promise<void>;
  /** Why this post cannot be removed although others can, read from its metadata or options. */
  irremovable?(about: Readonly<Record<string, unknown>>): string | undefined;
  list?(
    call: AccountCall,
    page: Readonly<{ limit: number; cursor?: string | undefined; pageId?: string | undefined }>,
  ): Promise<ListedPosts>;
  /** Number of posts that a sync requests from `list`, per page of an account. */
  syncDepth?: number;
  /** Whether a listed post is the one published under another id, for platforms that assign the final id later. */
  isSame?(publishedId: string, listed: ListedPost): boolean;
  /** Metrics of many posts; posts unknown to the platform are absent. */
  metrics?(call: AccountCall, posts: readonly MeasuredPost[]): Promise<Measured>;
  /** The quota cost of reading the metrics of fifty posts. */
  metricsCost?: Cost;
}>;

/** The parts of `rostra verify` that a platform may not support at all or for the test post. */
export type TriedPart = 'read' | 'permalink' | 'comment' | 'metrics' | 'remove';

/** The members in which a test post differs from a default one. */
type PostMembers = Readonly<Partial<Pick<OutgoingPost, 'title' | 'visibility' | 'options'>>>;

/** The least visible post that a platform allows, used by `rostra verify`. */
export type Verification = Readonly<{
  /** Who can see the post, and for how long: "nobody but the account", "everybody, until it is deleted". */
  seenBy: string;
  post?: PostMembers | ((page: string | undefined) => PostMembers);
  media?: 'image' | 'video';
  /** This step and later ones are skipped; earlier steps publish nothing. */
  stopsBefore?: string;
  /** The parts that cannot be tested on this post, and why. */
  without?: Readonly<Partial<Record<TriedPart, string>>>;
  /** What stays on the platform if it cannot be removed, and how it disappears. */
  leaves?: string;
}>;
