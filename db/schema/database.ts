import type { Insertable, Selectable, Updateable } from 'kysely';
import type { JobKind } from '../../src/kernel/jobs.ts';
import type { AccessTables } from './access.ts';
import type { Json } from './column.ts';
import type { DeliveryTables } from './delivery.ts';
import type { InboxTables } from './inbox.ts';
import type { PostTables } from './posts.ts';

/**
 * Every table and column. Instants are integer milliseconds, booleans 0 or 1, JSON is text,
 * ids and sort keys collate "C" and are never null (design §6). `sealed` columns hold kernel/seal texts.
 */
export type Database = AccessTables &
  PostTables &
  InboxTables &
  DeliveryTables & {
    settings: SettingsTable;
    jobs: JobsTable;
  };

export type { AccountStatus, Network, OauthModel } from './access.ts';
export type { DeliveryStatus, LogCategory } from './delivery.ts';
export type { ConversationStatus, MessageStatus, SendKind, SyncState } from './inbox.ts';
export type { MediaStatus, PostStatus, TargetStatus } from './posts.ts';

/** Facts about the store itself: sealed canary, key ids, install secrets. */
type SettingsTable = { name: string; value: string };

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
