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

/** The store, or a transaction on it, for queries that the two databases write differently. */
export type Queryable = Readonly<{ db: Db; dialect: Dialect }>;

/** What a commit signals: new work of some kind, or new log entries of a workspace. */
export type Topic = 'deliveries' | `job ${JobKind}` | 'targets' | `log ${string}`;

/** A public event. Webhooks receive `data` unchanged. */
export type Emitted = Readonly<{
  name: EventName;
  workspaceId: string;
  brandId: string | null;
  data: Readonly<Record<string, unknown>> | readonly Readonly<Record<string, unknown>>[];
  /** The id of the resource, such as a post, for the activity log. */
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
  /** What the event is about, such as `comment` or `dm`. */
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
  /** Stores, encrypted, what a repeated request needs to continue; throws if another request has taken over. */
  record(state: object): Promise<void>;
}>;

/** An open transaction, with what can only be done inside one. Nothing else may be awaited in it. */
export type Tx = Readonly<{
  db: Db;
  dialect: Dialect;
  process: OwnProcess;
  /** Records an event, its log entry and a delivery to each subscribed endpoint. Returns the event's id. */
  emit(event: Emitted): Promise<string>;
  log(entry: LogEntry): Promise<void>;
  /** Adds a job; an equal one keeps the earlier time. */
  enqueue(job: NewJob): Promise<void>;
  /** Takes credits from the current period, which it returns; throws if too few are left. */
  charge(counter: Counter, workspace: Workspace, amount: number): Promise<number>;
  /** Gives credits back to their period; usage never drops below zero. */
  refund(counter: Counter, workspaceId: string, period: number, amount: number): Promise<void>;
  /** The Idempotency-Key of the request, if it has one. */
  key: WorkKey | undefined;
  /** Notifies listeners after the transaction is committed. */
  signal(topic: Topic): void;
  /** Counts and times are recorded after the transaction is committed. */
  meter: Pick<Meter, 'count' | 'time'>;
}>;
