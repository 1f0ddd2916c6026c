import type { Generated } from 'kysely';
import type { ErrorCode } from '#kernel/errors.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { WeeklyTime } from '#kernel/text/local-time.ts';
import type { FailureKind, Reported } from '#platforms/errors.ts';
import type { MediaRef } from '#platforms/media.ts';
import type { ConvertedPicture, PictureTraits } from '#kernel/pictures/picture.ts';
import type { ListedPost, PostMetrics, PublicSegment } from '#platforms/posts.ts';
import type { Flag, Json, JsonObject } from './column.ts';

/** Tables of posts, media and publishing. Conventions are in database.ts. */
export type PostTables = {
  media: MediaTable;
  posts: PostsTable;
  targets: TargetsTable;
  steps: StepsTable;
  post_media: PostMediaTable;
  publish_log: PublishLogTable;
  daily_metrics: DailyMetricsTable;
  posting_times: PostingTimesTable;
};

type MediaStatus = 'pending' | 'ready' | 'failed';

type MediaTable = {
  id: string;
  workspace_id: string;
  status: MediaStatus;
  filename: string;
  content_type: string;
  size_bytes: number;
  /** Storage reserved until the item is ready. */
  held_bytes: Generated<number>;
  width: number | null;
  height: number | null;
  duration_ms: number | null;
  sha256: string | null;
  /** Traits of a picture; null for other files, and for pictures from before version 29. */
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
  /** The key for sorting by schedule: `scheduled_at`, else `published_at`, else `created_at`. */
  sort_at: number;
  /** The text and title, case-folded. */
  search: string;
  hidden: Flag;
  retry_count: number;
  /** The period of the post credit that was charged; null if none was. */
  charged: number | null;
  version: number;
  source: 'api' | 'import' | 'synced';
  /** Deleted while a target was running. Invisible from then on, and removed after the last takedown. */
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

/** What a target changes compared with its post. */
export type Overrides = Readonly<{
  board_id?: string | undefined;
  text?: string | undefined;
  title?: string | undefined;
  media?: readonly MediaRef[] | undefined;
  first_comment?: string | undefined;
  visibility?: string | undefined;
  platform_data?: JsonObject | undefined;
}>;

/** How often the current step of a target failed, by kind, and since when it is pending. */
export type Tally = Readonly<{ step: string | undefined; pending_since?: number }> &
  Readonly<Partial<Record<FailureKind, number>>>;

/** Why a target failed. `upstream`, `tally` and `pending` are internal. */
export type TargetError = Reported &
  Readonly<{
    code: ErrorCode;
    message: string;
    /** What to do next, if the action in the error catalogue does not fit. */
    next?: string | undefined;
    category: 'validation' | 'auth' | 'rate_limit' | 'platform' | 'system';
    caused_by: 'user' | 'platform' | 'system';
    status: number;
    upstream?: string | undefined;
    /** For a target that waits to be tried again: its failures so far. */
    tally?: Tally | undefined;
    /** The platform is still processing, so the next try belongs to the same attempt. */
    pending?: true | undefined;
    /** Steps to repeat in the next try, because their results have become useless. */
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
  /** When the engine checks it next; also set for published targets with a follow-up. */
  due_at: number;
  /** The current round of publishing or retrying, to which log entries and attempts belong. */
  round: number;
  action: 'publish' | 'retry';
  attempts: number;
  /** How often it was tried again in this round after an unknown outcome. */
  repeats: number;
  started_at: number | null;
  lease_token: string | null;
  lease_until: number;
  platform_post_id: string | null;
  permalink: string | null;
  /** The posts of a thread that are public, in order; null if it is not a thread. */
  segments: Json<readonly PublicSegment[]> | null;
  published_at: number | null;
  /** Why it failed or waits. For a published target, why its follow-up did; then it is internal. */
  error: Json<TargetError> | null;
  /** 1 while it is unknown whether a step took effect. A retry finds that out first. */
  unsettled: Flag;
  metrics: Json<PostMetrics> | null;
  metrics_synced_at: number | null;
  /** When its metrics are read next; null if it is too old or not public. */
  measure_at: number | null;
  /** Media URLs from the last sync, which may have expired. */
  platform_media: Json<ListedPost['media']> | null;
  metadata: Json<JsonObject>;
  /** Pictures of the post that were converted to suit the platform. */
  converted: Json<readonly ConvertedPicture[]> | null;
  /** A hash of the account and the content, by which duplicates are found. */
  fingerprint: string;
  created_at: number;
};

/** A step of publishing. It is stored before it is sent unless it is invisible, and completed before the next one is sent. */
type StepsTable = {
  target_id: string;
  name: string;
  /** `invisible` steps leave nothing behind that is public. */
  kind: 'invisible' | 'idempotent' | 'visible';
  /** `kept`: the step certainly has not taken effect yet, and the next try continues it. */
  state: 'sent' | 'kept' | 'done';
  result: Json<unknown> | null;
  /** What an incomplete step needs in order to continue; encrypted JSON. */
  progress: string | null;
  /** A result that is secret, stored instead of `result`; encrypted JSON. */
  sealed_result: string | null;
  sent_at: number;
  done_at: number | null;
};

/** Which media items each post uses, for the error media.in_use. */
type PostMediaTable = { post_id: string; media_id: string };

/** The gains of a target per day. The first measurement counts for the day of publication. */
type DailyMetricsTable = {
  target_id: string;
  /** `YYYY-MM-DD`, in the timezone the workspace had at that time. */
  day: string;
  workspace_id: string;
  brand_id: string;
  account_id: string;
  post_id: string;
  platform: PlatformSlug;
  /** 1 on the day when the target was published. */
  published: Flag;
  likes: number;
  comments: number;
  shares: number;
  saves: number;
  /** Views, or impressions on platforms that count those instead. */
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
  /** What the platform said about a failure. */
  reported: Json<Reported> | null;
  created_at: number;
};

/** The weekly times to publish at, of a workspace or of a brand that has its own. */
type PostingTimesTable = {
  /** The id of the brand, or of the workspace. */
  owner_id: string;
  workspace_id: string;
  brand_id: string | null;
  times: Json<readonly WeeklyTime[]>;
  updated_at: number;
};
