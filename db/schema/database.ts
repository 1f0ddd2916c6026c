import type { Insertable, Selectable, Updateable } from 'kysely';
import type { JobKind } from '#kernel/jobs.ts';
import type { AccessTables } from './access.ts';
import type { Json, JsonObject } from './column.ts';
import type { ConnectingTables } from './connecting.ts';
import type { DeliveryTables } from './delivery.ts';
import type { ExportTables } from './exports.ts';
import type { InboxTables } from './inbox.ts';
import type { LeashTables } from './leash.ts';
export type { Erased } from './pushes.ts';
import type { MailTables } from './mail.ts';
import type { PostTables } from './posts.ts';
import type { SigninTables } from './signin.ts';

/** All tables. Times are integer milliseconds, booleans are 0 or 1, JSON is text; ids and sort keys collate "C". */
export type Database = AccessTables &
  SigninTables &
  ConnectingTables &
  PostTables &
  InboxTables &
  DeliveryTables &
  ExportTables &
  LeashTables &
  MailTables & {
    settings: SettingsTable;
    jobs: JobsTable;
    processes: ProcessesTable;
  };

export type { CheckoutAddresses, Network, OauthModel } from './access.ts';
export type { MigrationFailure, MigrationSource, SourceAccount } from './connecting.ts';
export type { DeliveryStatus, LogCategory } from './delivery.ts';
export type { ExportStatus, Insight, Reading } from './exports.ts';
export type {
  ConversationStatus,
  HistoryProgress,
  MessageStatus,
  PartState,
  SendError,
  SendKind,
  SyncState,
} from './inbox.ts';
export type { ActionState, ConnectionKind } from './leash.ts';
export type { MediaRef } from '#platforms/media.ts';
export type { Overrides, PlatformData, PostStatus, Segment, Tally, TargetError, TargetStatus } from './posts.ts';

/** Settings of the store itself, such as the encrypted canary, key ids and secrets of the installation. */
type SettingsTable = { name: string; value: string };

/** Processes that hold leases. If the lock of one is free, the process is dead. */
type ProcessesTable = { id: string; started_at: number };

type JobsTable = {
  id: string;
  kind: JobKind;
  /** Unique together with `kind`, so that a job is never queued twice. */
  key: string;
  payload: Json<JsonObject>;
  run_at: number;
  attempts: number;
  lease_token: string | null;
  lease_until: number;
  created_at: number;
};

export type Row<T extends keyof Database> = Selectable<Database[T]>;
export type NewRow<T extends keyof Database> = Insertable<Database[T]>;
export type RowPatch<T extends keyof Database> = Updateable<Database[T]>;

/** The names of a table's JSON columns, or of all its other columns. */
type ColumnOf<Table, IsJson extends boolean> = Table extends unknown
  ? {
      [C in keyof Table]: NonNullable<Table[C]> extends Json<unknown>
        ? IsJson extends true
          ? C
          : never
        : IsJson extends true
          ? never
          : C;
    }[keyof Table]
  : never;

export type JsonColumn = Exclude<ColumnOf<Database[keyof Database], true>, ColumnOf<Database[keyof Database], false>>;

/** Later than any other time in the store. Stands for "never" in columns that are sorted. */
export const NEVER = 8_640_000_000_000_000;

/** The columns of a workspace that `workspaceOf` reads, besides its id. */
export const WORKSPACE_COLUMNS = [
  'workspaces.plan',
  'workspaces.blocked_at',
  'workspaces.created_at as workspace_created_at',
  'workspaces.plan_since',
  'workspaces.cycle_anchor',
  'workspaces.allowed_platforms',
  'workspaces.timezone',
] as const;
