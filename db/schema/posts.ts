import type { Generated } from 'kysely';
import type { ErrorCode } from '#kernel/errors.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { FailureKind, Reported } from '#platforms/errors.ts';
import type { MediaRef } from '#platforms/media.ts';
import type { ConvertedPicture, PictureTraits } from '#kernel/pictures/picture.ts';
import type { ListedPost, PostMetrics, PublicSegment } from '#platforms/posts.ts';
import type { Flag, Json, JsonObject } from './column.ts';

/** Tables of posts, media and publishing; conventions: database.ts. */
export type PostTables = {
  media: MediaTable;
  posts: PostsTable;
  targets: TargetsTable;
  steps: StepsTable;
  post_media: PostMediaTable;
  publish_log: PublishLogTable;
  daily_metrics: DailyMetricsTable;
};

type MediaStatus = 'pending' | 'ready' | 'failed';

type MediaTable = {
  id: string;
  workspace_id: string;
  status: MediaStatus;
  filename: string;
  content_type: string;
  size_bytes: number;
  /** Reserved storage until the item is ready. */
  held_bytes: Generated<number>;
  width: number | null;
  height: number | null;
  duration_ms: number | null;
  sha256: string | null;
  /** Of pictures; null for other files and for pictures of before version 29. */
  traits: Json<PictureTraits> | null;
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
  /** scheduled_at, else published_at, else created_at: the sort key of scheduled_*. */
  sort_at: number;
  /** Case-folded text and title. */
  search: string;
  hidden: Flag;
  retry_count: number;
  /** The period of its post credit; null if none is taken. */
  charged: number | null;
  version: number;
  source: 'api' | 'import' | 'synced';
  /** Deleted while a target was running: invisible at once, removed after the last takedown. */
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

/** What a target overrides of its post. */
export type Overrides = Readonly<{
  board_id?: string | undefined;
  text?: string | undefined;
  title?: string | undefined;
  media?: readonly MediaRef[] | undefined;
  first_comment?: string | undefined;
  visibility?: string | undefined;
  platform_data?: JsonObject | undefined;
}>;

/** Failures by kind at a target's current step, and since when it is pending. */
export type Tally = Readonly<{ step: string | undefined; pending_since?: number }> &
  Readonly<Partial<Record<FailureKind, number>>>;

/** Why a target failed; `upstream`, `tally` and `pending` are internal. */
export type TargetError = Reported &
  Readonly<{
    code: ErrorCode;
    message: string;
    /** The next step, if the catalogued one does not fit. */
    next?: string | undefined;
    category: 'validation' | 'auth' | 'rate_limit' | 'platform' | 'system';
    caused_by: 'user' | 'platform' | 'system';
    status: number;
    upstream?: string | undefined;
    /** For a waiting target: its failures so far. */
    tally?: Tally | undefined;
    /** The platform is still at work: the next try belongs to the same attempt. */
    pending?: true | undefined;
    /** Steps that a retry repeats, as their results are useless. */
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
  /** The engine's next check; also of published targets with a follow-up. */
  due_at: number;
  /** The current publish or retry round, to which log entries and attempts belong. */
  round: number;
  action: 'publish' | 'retry';
  attempts: number;
  /** Tries after an unknown outcome, in this round. */
  repeats: number;
  started_at: number | null;
  lease_token: string | null;
  lease_until: number;
  platform_post_id: string | null;
  permalink: string | null;
  /** The public posts of a thread, in order; null otherwise. */
  segments: Json<readonly PublicSegment[]> | null;
  published_at: number | null;
  /** Why it failed or waits; internal for the follow-up of a published one. */
  error: Json<TargetError> | null;
  /** 1 while a step's outcome is unknown: a retry settles it first. */
  unsettled: Flag;
  metrics: Json<PostMetrics> | null;
  metrics_synced_at: number | null;
  /** When its metrics are next read; null once it is too old or not public. */
  measure_at: number | null;
  /** Media URLs as of the last sync, which may expire. */
  platform_media: Json<ListedPost['media']> | null;
  metadata: Json<JsonObject>;
  /** Its pictures that were converted to fit the platform. */
  converted: Json<readonly ConvertedPicture[]> | null;
  /** Hash of account and content, for the duplicate guard. */
  fingerprint: string;
  created_at: number;
};

/** A publishing step: stored before it is tried, completed before the next one starts. */
type StepsTable = {
  target_id: string;
  name: string;
  /** Invisible steps leave nothing public behind. */
  kind: 'invisible' | 'idempotent' | 'visible';
  /** `kept`: the next try continues; it certainly did not take effect yet. */
  state: 'sent' | 'kept' | 'done';
  result: Json<unknown> | null;
  /** What an incomplete step keeps; encrypted JSON. */
  progress: string | null;
  /** A secret result, instead of `result`; encrypted JSON. */
  sealed_result: string | null;
  sent_at: number;
  done_at: number | null;
};

/** Which posts use which media items, for media.in_use. */
type PostMediaTable = { post_id: string; media_id: string };

/** A target's daily gains; the first count belongs to the day of publication. */
type DailyMetricsTable = {
  target_id: string;
  /** `YYYY-MM-DD` in the workspace's timezone at the time. */
  day: string;
  workspace_id: string;
  brand_id: string;
  account_id: string;
  post_id: string;
  platform: PlatformSlug;
  /** 1 on the day of publication. */
  published: Flag;
  likes: number;
  comments: number;
  shares: number;
  saves: number;
  /** Views, or impressions if a platform counts those. */
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
  /** The platform's details of a failure. */
  reported: Json<Reported> | null;
  created_at: number;
};
