import type { Kysely } from 'kysely';
import type { Workspace } from '#kernel/authority.ts';
import type { EventName } from '#kernel/events.ts';
import type { JobKind } from '#kernel/jobs.ts';
import type { Counter } from '#kernel/plans.ts';
import type { OwnProcess } from './backend.ts';
import type { Dialect } from './dialect.ts';
import type { Database, LogCategory } from '../schema/database.ts';

export type Db = Kysely<Database>;

/** What a commit signals: that there may be work of a kind, or more in the activity log of a workspace. */
export type Topic = 'deliveries' | `job ${JobKind}` | 'targets' | `log ${string}`;

/** A public event: `data` is sent to webhooks unchanged, with `brand_id` for routing. */
export type Emitted = Readonly<{
  name: EventName;
  workspaceId: string;
  brandId: string | null;
  data: Readonly<Record<string, unknown>> | readonly Readonly<Record<string, unknown>>[];
  /** For the activity log: what it was about. */
  resourceId?: string | undefined;
  accountId?: string | undefined;
  platform?: string | undefined;
  summary: string;
  failed?: boolean;
  errorCategory?: string | undefined;
  errorMessage?: string | undefined;
}>;

export type LogEntry = Readonly<{
  workspaceId: string;
  category: LogCategory;
  action: string;
  status: 'success' | 'failed' | 'pending' | 'skipped';
  platform?: string | undefined;
  accountId?: string | undefined;
  resourceId?: string | undefined;
  /** What an event is about, such as `comment` or `dm`. */
  kind?: string | undefined;
  summary: string;
  durationMs?: number | undefined;
  statusCode?: number | undefined;
  errorCategory?: string | undefined;
  errorMessage?: string | undefined;
  metadata?: Readonly<Record<string, unknown>>;
}>;

export type NewJob = Readonly<{ kind: JobKind; key: string; runAt: number }>;

/** Records the progress of a request under its Idempotency-Key. */
export type WorkKey = Readonly<{
  /**
   * Records, together with the work itself, what a repeat needs to settle it: its answer, or the ids it made. Whatever
   * is recorded is sealed. Throws where another request with the key has taken the work over.
   */
  record(state: object): Promise<void>;
}>;

/**
 * An open transaction and what may only be done inside one: a write without its event does not compile.
 * Nothing but `tx` is awaited while it is open.
 */
export type Tx = Readonly<{
  db: Db;
  dialect: Dialect;
  /** The process that writes. */
  process: OwnProcess;
  /** Records an event, its activity-log entry and one delivery per subscribed endpoint; answers the event id. */
  emit(event: Emitted): Promise<string>;
  log(entry: LogEntry): Promise<void>;
  /** Adds a job; one with the same kind and key keeps its earlier time. */
  enqueue(job: NewJob): Promise<void>;
  /** Takes credits of the running period, or refuses when the plan has none left; answers the period taken from. */
  charge(counter: Counter, workspace: Workspace, amount: number): Promise<number>;
  /** Gives credits back to the period they were taken from, never below zero. */
  refund(counter: Counter, workspaceId: string, period: number, amount: number): Promise<void>;
  /** The Idempotency-Key of the request that does this; undefined where it has none. */
  key: WorkKey | undefined;
  /** Wakes listeners of a topic once the transaction is committed. */
  signal(topic: Topic): void;
}>;
