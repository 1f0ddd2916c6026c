import type { Kysely } from 'kysely';
import type { Workspace } from '#kernel/authority.ts';
import type { EventName } from '#kernel/events.ts';
import type { JobKind } from '#kernel/jobs.ts';
import type { Meter } from '#kernel/metrics/meter.ts';
import type { Counter } from '#kernel/plans.ts';
import type { OwnProcess } from './backend.ts';
import type { Dialect } from './dialect.ts';
import type { Database, LogCategory } from '../schema/database.ts';

export type Db = Kysely<Database>;

/** What a commit signals: new work of a kind, or new log entries of a workspace. */
export type Topic = 'deliveries' | `job ${JobKind}` | 'targets' | `log ${string}`;

/** A public event; `data` is sent to webhooks unchanged. */
export type Emitted = Readonly<{
  name: EventName;
  workspaceId: string;
  brandId: string | null;
  data: Readonly<Record<string, unknown>> | readonly Readonly<Record<string, unknown>>[];
  /** For the activity log. */
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
  /** The event's subject, such as `comment` or `dm`. */
  kind?: string | undefined;
  summary: string;
  durationMs?: number | undefined;
  statusCode?: number | undefined;
  errorCategory?: string | undefined;
  errorMessage?: string | undefined;
  metadata?: Readonly<Record<string, unknown>>;
}>;

export type NewJob = Readonly<{ kind: JobKind; key: string; runAt: number }>;

type WorkKey = Readonly<{
  /** Records, encrypted, what a repeat needs to settle the work; throws if another request took over. */
  record(state: object): Promise<void>;
}>;

/** An open transaction, with what is only possible inside one; nothing else may be awaited. */
export type Tx = Readonly<{
  db: Db;
  dialect: Dialect;
  process: OwnProcess;
  /** Records an event, its log entry and a delivery per subscribed endpoint; returns the event id. */
  emit(event: Emitted): Promise<string>;
  log(entry: LogEntry): Promise<void>;
  /** An equal job keeps its earlier time. */
  enqueue(job: NewJob): Promise<void>;
  /** Takes credits of the current period, or refuses; returns the period. */
  charge(counter: Counter, workspace: Workspace, amount: number): Promise<number>;
  /** Refunds credits to their period, never below zero. */
  refund(counter: Counter, workspaceId: string, period: number, amount: number): Promise<void>;
  /** The request's Idempotency-Key, if it has one. */
  key: WorkKey | undefined;
  /** Notifies listeners once the transaction is committed. */
  signal(topic: Topic): void;
  /** Counted and timed once the transaction is committed. */
  meter: Pick<Meter, 'count' | 'time'>;
}>;
