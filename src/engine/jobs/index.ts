import { claimingJobs, finishJob, postponeJob, soonestJobs, type JobRow } from '#db/store/jobs.ts';
import type { Store } from '#db/store/store.ts';
import type { Db } from '#db/store/tx.ts';
import { SECOND, type Clock } from '#kernel/clock.ts';
import type { JobKind } from '#kernel/jobs.ts';
import type { Log } from '#kernel/log.ts';
import type { Meter } from '#kernel/metrics/meter.ts';
import { untraced, type Trace } from '#kernel/metrics/trace.ts';
import { inTurn } from './in-turn.ts';
import { makeWorkerPool } from './worker-pool.ts';
import { retryWrite } from './retry-write.ts';
import { UNFLUSHED } from './lease.ts';
import { LOOK_MS } from './poller.ts';

/** A job's lease. It is not extended, so a handler must finish its requests within it. */
const LEASE_MS = 5 * 60_000;
/** Waits after failed attempts; the last one repeats. */
const RETRY_MS = Object.freeze([5_000, 30_000, 2 * 60_000, 10 * 60_000, 3_600_000]);
/** How many jobs of a queue run at the same time by default. */
const CONCURRENCY = 8;
/** Jobs that wait at least so long run at full seconds, so that those of one second are claimed together. */
const TOGETHER_MS = 10_000;

/** How a job ends: `again` repeats it after that many milliseconds, `write` is committed in the same transaction. */
type JobEnd = Readonly<{ again?: number; write?(db: Db): Promise<void> }>;

export type JobHandler = (job: Readonly<{ key: string }>) => Promise<void | JobEnd>;

type JobsDeps = Readonly<{
  store: Store;
  clock: Clock;
  log: Log;
  meter: Pick<Meter, 'count'>;
  trace?: Trace | undefined;
  handlers: Readonly<Partial<Record<JobKind, JobHandler>>>;
  atOnce?: number;
}>;

/** The durable queue: claims due jobs under a lease; if a worker dies, another repeats its jobs. */
export function makeJobs({ store, clock, log, meter, trace = untraced, handlers, atOnce = CONCURRENCY }: JobsDeps) {
  const pool = makeWorkerPool(atOnce);
  const kinds = Object.keys(handlers) as JobKind[];
  const soonest = makeSoonest(store, kinds);
  const claimJobs = claimingJobs(store.dialect, kinds);
  /** When the first job is due, as of the last look; undefined if that look found due ones. */
  let next: number | undefined;
  /** Whether due jobs may wait for a free slot, or one runs again before the next look. */
  let isAwaited = false;

  const work = ({ kind, key, attempts }: JobRow) =>
    trace({ name: `job ${kind}`, root: true, attributes: { 'rostra.job': kind, 'rostra.attempt': attempts + 1 } }, () =>
      handlers[kind]!({ key }),
    );

  async function run(job: JobRow, token: string): Promise<void> {
    const postpone = (db: Db, wait: number, attempts: number) =>
      postponeJob(db, { id: job.id, token, runAt: timeAfter(clock.now(), wait), attempts });
    try {
      const { again, write }: JobEnd = (await work(job)) ?? {};
      await store.write(async ({ db }) => {
        const isOurs = again === undefined ? await finishJob(db, job.id, token) : await postpone(db, again, 0);
        if (isOurs) await write?.(db);
      }, UNFLUSHED);
      isAwaited ||= again !== undefined && again < LOOK_MS;
      meter.count('jobs', [job.kind, 'done']);
    } catch (error) {
      meter.count('jobs', [job.kind, 'failed']);
      log.error({ job: job.kind, key: job.key, attempt: job.attempts + 1, error }, 'job failed');
      const wait = RETRY_MS[Math.min(job.attempts, RETRY_MS.length - 1)]!;
      await retryWrite(clock, () => store.write((tx) => postpone(tx.db, wait, job.attempts + 1)));
    }
  }

  /** Claims and starts due jobs; returns how many it claimed. */
  async function look(): Promise<number> {
    const free = pool.free();
    const now = clock.now();
    next = undefined;
    isAwaited = free === 0;
    if (isAwaited) return 0;
    const at = await soonest();
    if (at > now) {
      next = at;
      return 0;
    }
    const token = store.process.newToken();
    const lease = { token, until: now + LEASE_MS };
    const jobs = await store.write((tx) => claimJobs(tx.db, now, free, lease), UNFLUSHED);
    for (const job of jobs) {
      pool.track(run(job, token).catch((error: unknown) => log.error({ job: job.kind, error }, 'job not rescheduled')));
    }
    return jobs.length;
  }

  return Object.freeze({
    tick: inTurn(look),
    /** When the next job is due. Jobs that were due at the last look wait for a free slot, not for a time. */
    nextAt: async () => (next === Infinity ? undefined : next),
    idle: pool.idle,
    onFree: pool.onFree,
    isFreeAwaited: () => isAwaited,
    /** Calls `listener` when a job of these kinds is committed; returns a function that stops this. */
    onWake(listener: () => void): () => void {
      const stops = kinds.map((kind) => store.onCommit(`job ${kind}`, listener));
      return () => stops.forEach((stop) => stop());
    },
  });
}

/** When to run a job that waits so long. */
function timeAfter(now: number, wait: number): number {
  const at = now + wait;
  return wait < TOGETHER_MS ? at : Math.ceil(at / SECOND) * SECOND;
}

/** When the first job of these kinds is due, read without a transaction. */
function makeSoonest(store: Store, kinds: readonly JobKind[]): () => Promise<number> {
  const [first, ...rest] = kinds;
  if (first === undefined) return async () => Infinity;
  const rows = store.preparedAll((db) => soonestJobs(db, [first, ...rest]));
  return async () => Math.min(...(await rows({})).map(({ at }) => at ?? Infinity));
}
