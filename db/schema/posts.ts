import type { Generated } from 'kysely';
import type { ErrorCode } from '#kernel/errors.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { FailureKind, Reported } from '#platforms/errors.ts';
import type { MediaRef } from '#platforms/media.ts';
import type { ListedPost, PostMetrics, PublicSegment } from '#platforms/posts.ts';
import type { Flag, Json, JsonObject } from './column.ts';

/** Tables of posts, their media and their publication. The conventions are those of database.ts. */
export type PostTables = {
  media: MediaTable;
  posts: PostsTable;
  targets: TargetsTable;
  steps: StepsTable;
  post_media: PostMediaTable;
  publish_log: PublishLogTable;
  daily_metrics: DailyMetricsTable;
};

export type MediaStatus = 'pending' | 'ready' | 'failed';

type MediaTable = {
  id: string;
  workspace_id: string;
  status: MediaStatus;
  filename: string;
  content_type: string;
  size_bytes: number;
  /** Storage taken for bytes that came or are coming, until the item is ready. */
  held_bytes: Generated<number>;
  width: number | null;
  height: number | null;
  duration_ms: number | null;
  sha256: string | null;
  created_at: number;
};

export type PostStatus = 'draft' | 'scheduled' | 'publishing' | 'published' | 'partial' | 'failed';

export type Segment = Readonly<{ text?: string | undefined; media?: readonly MediaRef[] | undefined }>;
export type PlatformData = Readonly<Record<string, JsonObject>>;

type PostsTable = {
  id: string;
  workspace_id: string;
  status: PostStatus;
  text: string | null;
  title: string | null;
  visibility: string;
  first_comment: string | null;
  media: Json<readonly MediaRef[]>;
  segments: Json<readonly Segment[]>;
  platform_data: Json<PlatformData>;
  scheduled_at: number | null;
  published_at: number | null;
  /** scheduled_at, else published_at, else created_at: what scheduled_* sorts by. */
  sort_at: number;
  /** Case-folded text and title. */
  search: string;
  hidden: Flag;
  retry_count: number;
  /** Period whose post counter this post has taken a credit of; null when none is taken. */
  charged: number | null;
  version: number;
  source: 'api' | 'import' | 'synced';
  /** Deleted while a target was in flight: invisible at once, the row goes when the last target is taken down. */
  deleted_at: number | null;
  created_at: number;
  updated_at: number;
};

export type TargetStatus =
  | 'pending'
  | 'scheduled'
  | 'publishing'
  | 'published'
  | 'failed'
  | 'unpublished'
  | 'cancelled';

/** What a target says differently from its post. */
export type Overrides = Readonly<{
  board_id?: string | undefined;
  text?: string | undefined;
  title?: string | undefined;
  media?: readonly MediaRef[] | undefined;
  first_comment?: string | undefined;
  visibility?: string | undefined;
  platform_data?: JsonObject | undefined;
}>;

/** How often each kind of failure was met at the step where a target stands, and since when it is pending. */
export type Tally = Readonly<{ step: string | undefined; pending_since?: number }> &
  Readonly<Partial<Record<FailureKind, number>>>;

/** Why a target failed; `upstream`, `tally` and `pending` are not shown. */
export type TargetError = Reported &
  Readonly<{
    code: ErrorCode;
    message: string;
    /** What to do about it, where the catalogued step does not fit. */
    next?: string | undefined;
    category: 'validation' | 'auth' | 'rate_limit' | 'platform' | 'system';
    caused_by: 'user' | 'platform' | 'system';
    status: number;
    upstream?: string | undefined;
    /** Of a target that waits: what it waits for so far. */
    tally?: Tally | undefined;
    /** Of a target that waits for the platform to finish its work: the next try belongs to the same attempt. */
    pending?: true | undefined;
    /** The steps that a retry does anew, as what they made is of no use any more. */
    redo?: readonly string[] | undefined;
  }>;

type TargetsTable = {
  id: string;
  post_id: string;
  workspace_id: string;
  account_id: string;
  brand_id: string;
  platform: PlatformSlug;
  position: number;
  page_id: string | null;
  overrides: Json<Overrides>;
  scheduled_at: number | null;
  status: TargetStatus;
  /** When the engine looks at it next; a published one is looked at while what follows its publication is not done. */
  due_at: number;
  /** Publish or retry round the target is in; log entries and attempts belong to one. */
  round: number;
  action: 'publish' | 'retry';
  attempts: number;
  /** Tries after an answer that did not say whether it took effect, in this round. */
  repeats: number;
  started_at: number | null;
  lease_token: string | null;
  lease_until: number;
  platform_post_id: string | null;
  permalink: string | null;
  /** The public posts of a thread, in order; null of what is no thread, or not public. */
  segments: Json<readonly PublicSegment[]> | null;
  published_at: number | null;
  /** Why it failed, or what it waits for; of a published one what its follow-up waits for, which is not shown. */
  error: Json<TargetError> | null;
  /** 1 while a step's outcome is unknown: a retry settles it first. */
  unsettled: Flag;
  metrics: Json<PostMetrics> | null;
  metrics_synced_at: number | null;
  /** When its metrics are read next; null once it is too old, or not public. */
  measure_at: number | null;
  /** Where the platform shows its media, as of the last sync: links that may end. */
  platform_media: Json<ListedPost['media']> | null;
  metadata: Json<JsonObject>;
  /** Hash of account and content, for the duplicate guard. */
  fingerprint: string;
  created_at: number;
};

/** One step of a publish: written before it is tried, completed before the next one starts. */
type StepsTable = {
  target_id: string;
  name: string;
  /** Invisible steps leave nothing public behind. */
  kind: 'invisible' | 'idempotent' | 'visible';
  /** `kept`: the next try begins with its progress; it surely did not take effect yet. */
  state: 'sent' | 'kept' | 'done';
  result: Json<unknown> | null;
  /** What a step that is not done keeps for its next try; sealed JSON. */
  progress: string | null;
  /** The result of a step that is secret, instead of `result`; sealed JSON. */
  sealed_result: string | null;
  sent_at: number;
  done_at: number | null;
};

/** Which posts use which media items, for media.in_use. */
type PostMediaTable = { post_id: string; media_id: string };

/** What a target gained on a day; what it had when it was first counted is on the day it was published. */
type DailyMetricsTable = {
  target_id: string;
  /** `YYYY-MM-DD` in the timezone that the workspace had. */
  day: string;
  workspace_id: string;
  brand_id: string;
  account_id: string;
  post_id: string;
  platform: PlatformSlug;
  /** 1 on the day it was published. */
  published: Flag;
  likes: number;
  comments: number;
  shares: number;
  saves: number;
  /** How often it was shown: views, or impressions where a platform counts those. */
  views: number;
};

type PublishLogTable = {
  id: string;
  workspace_id: string;
  brand_id: string;
  account_id: string;
  post_id: string;
  platform: PlatformSlug;
  action: 'publish' | 'retry' | 'cancel' | 'unpublish';
  status: 'success' | 'failed' | 'skipped';
  attempt: number;
  duration_ms: number;
  status_code: number;
  error_message: string | null;
  /** What the platform said, where it refused or failed. */
  reported: Json<Reported> | null;
  created_at: number;
};
