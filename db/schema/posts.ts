import type { Generated } from 'kysely';
import type { PlatformSlug } from '../../src/kernel/platforms.ts';
import type { Flag, Json } from './column.ts';

/** Tables of posts, their media and their publication. The conventions are those of database.ts. */
export type PostTables = {
  media: MediaTable;
  posts: PostsTable;
  targets: TargetsTable;
  steps: StepsTable;
  post_media: PostMediaTable;
  publish_log: PublishLogTable;
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

type PostsTable = {
  id: string;
  workspace_id: string;
  status: PostStatus;
  text: string | null;
  title: string | null;
  visibility: string;
  first_comment: string | null;
  media: Json;
  segments: Json;
  platform_data: Json;
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

type TargetsTable = {
  id: string;
  post_id: string;
  workspace_id: string;
  account_id: string;
  brand_id: string;
  platform: PlatformSlug;
  position: number;
  page_id: string | null;
  /** Per-target fields of the request: text, title, media, first_comment, visibility, board_id, platform_data. */
  overrides: Json;
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
  published_at: number | null;
  /** Why it failed, or what it waits for; of a published one what its follow-up waits for, which is not shown. */
  error: Json | null;
  /** 1 while a step's outcome is unknown: a retry settles it first. */
  unsettled: Flag;
  metrics: Json | null;
  metrics_synced_at: number | null;
  /** Where the platform shows its media, as of the last sync: links that may end. */
  platform_media: Json | null;
  metadata: Json;
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
  state: 'sent' | 'done';
  result: Json | null;
  sent_at: number;
  done_at: number | null;
};

/** Which posts use which media items, for media.in_use. */
type PostMediaTable = { post_id: string; media_id: string };

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
  created_at: number;
};
