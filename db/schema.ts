import type { Generated, Insertable, Selectable, Updateable } from 'kysely';
import type { JobKind } from '../src/kernel/jobs.ts';
import type { PlanTier } from '../src/kernel/plans.ts';
import type { PlatformSlug } from '../src/kernel/platforms.ts';
import type { AccessTables } from './schema-access.ts';
import type { EventTables } from './schema-events.ts';
import type { InboxTables } from './schema-inbox.ts';

/**
 * Every table and column. Instants are integer milliseconds, booleans 0 or 1, JSON is text,
 * ids and sort keys collate "C" and are never null (design §6). `sealed` columns hold kernel/seal texts.
 */
export type Database = AccessTables &
  InboxTables &
  EventTables & {
    settings: SettingsTable;
    workspaces: WorkspacesTable;
    users: UsersTable;
    brands: BrandsTable;
    keys: KeysTable;
    usage: UsageTable;
    accounts: AccountsTable;
    connects: ConnectsTable;
    choices: ChoicesTable;
    media: MediaTable;
    posts: PostsTable;
    targets: TargetsTable;
    steps: StepsTable;
    post_media: PostMediaTable;
    publish_log: PublishLogTable;
    jobs: JobsTable;
  };

export type { OauthModel } from './schema-access.ts';
export type { DeliveryStatus, LogCategory } from './schema-events.ts';

type Flag = 0 | 1;
type Json = string;

/** Facts about the store itself: sealed canary, key ids, install secrets. */
type SettingsTable = { name: string; value: string };

type WorkspacesTable = {
  id: string;
  plan: PlanTier;
  created_at: number;
  /** Set while unpaid: everything but user and billing operations answers 402. */
  blocked_at: number | null;
  brands_count: number;
  /** Of items that are ready. */
  storage_bytes: number;
  /** What the items that are not ready yet hold between them. */
  pending_bytes: Generated<number>;
  allowed_platforms: Json | null;
  /** An IANA name; times without an offset are read in it. */
  timezone: Generated<string>;
  /** Set by its removal: it is gone for everyone but the sweep, which takes its history away step by step. */
  removed_at: number | null;
};

type UsersTable = {
  id: string;
  workspace_id: string;
  email: string;
  name: string;
  password_hash: string | null;
  onboarding: Flag;
  use_case: string | null;
  referral: string | null;
  avatar_url: string | null;
  lock_accounts_to_brand: Flag;
  created_at: number;
};

type BrandsTable = { id: string; workspace_id: string; name: string; created_at: number; updated_at: number };

type KeysTable = {
  id: string;
  workspace_id: string;
  user_id: string;
  name: string;
  hash: string;
  preview: string;
  scopes: Json;
  brand_ids: Json;
  is_active: Flag;
  created_at: number;
  last_used_at: number | null;
};

/** Counters of one period; a reset is a new row. */
type UsageTable = {
  workspace_id: string;
  period_start: number;
  posts: number;
  interactions: number;
  exports: number;
};

export type AccountStatus = 'active' | 'reconnect_required';
export type Network = 'real' | 'sandbox';

type AccountsTable = {
  id: string;
  workspace_id: string;
  brand_id: string;
  platform: PlatformSlug;
  network: Network;
  platform_user_id: string;
  name: string;
  username: string;
  bio: string | null;
  profile_picture_url: string | null;
  profile_url: string | null;
  user_email: string | null;
  status: AccountStatus;
  reconnect_reason: string | null;
  metadata: Json;
  session: string;
  /** When the session should be refreshed ahead of its end; far future when it never ends. */
  refresh_at: number;
  lease_token: string | null;
  lease_until: number;
  created_at: number;
  updated_at: number;
  /** When it was connected last. */
  connected_at: Generated<number>;
};

/** A connection under way: what the state of an auth_url stands for. */
type ConnectsTable = {
  /** SHA-256 of the state. */
  id: string;
  workspace_id: string;
  platform: PlatformSlug;
  network: Network;
  brand_id: string | null;
  account_id: string | null;
  redirect_uri: string | null;
  client_state: string;
  sealed: string;
  created_at: number;
  expires_at: number;
  used_at: number | null;
};

/** A finished login with several profiles, one of which is to be chosen; the row goes when one is, or at its end. */
type ChoicesTable = {
  id: string;
  workspace_id: string;
  platform: PlatformSlug;
  network: Network;
  brand_id: string | null;
  account_id: string | null;
  sealed: string;
  created_at: number;
  expires_at: number;
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

type JobsTable = {
  id: string;
  kind: JobKind;
  /** Unique with kind: a second job for the same thing is not made. */
  key: string;
  payload: Json;
  run_at: number;
  attempts: number;
  lease_token: string | null;
  lease_until: number;
  created_at: number;
};

export type Row<T extends keyof Database> = Selectable<Database[T]>;
export type NewRow<T extends keyof Database> = Insertable<Database[T]>;
export type RowPatch<T extends keyof Database> = Updateable<Database[T]>;

/** Later than every instant the store will see: "never" for columns that sort. */
export const NEVER = 8_640_000_000_000_000;
