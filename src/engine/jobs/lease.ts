import type { WriteOptions } from '#db/store/backend.ts';
import type { Store } from '#db/store/store.ts';
import type { Db, Queryable } from '#db/store/tx.ts';
import { every, type Clock } from '#kernel/clock.ts';
import type { Log } from '#kernel/log.ts';

/** The lease of claimed work, and how often it is renewed. */
export const LEASE_MS = 90_000;
const RENEW_MS = 20_000;
/** A request begins only if its deadline ends this long before the lease. */
const LEASE_MARGIN_MS = 5_000;

/** For work that is repeated after a power cut and therefore need not wait for the disk. */
export const UNFLUSHED: WriteOptions = Object.freeze({ flushed: false });

/** Thrown when another worker has taken over the work, so nothing more may be sent or written. */
export class LeaseLost extends Error {}

/** Rolls back what was written without the lease. */
class NotHeld extends Error {}

/** The exclusive right to some work, for a limited time. */
export type Lease = Readonly<{
  token: string;
  /** Writes under the lease, in one transaction; throws LeaseLost. */
  held(write: (db: Db) => Promise<void>, options?: WriteOptions): Promise<void>;
  /** Ensures that the lease outlives a request's deadline; throws LeaseLost. */
  outlive(deadlineMs: number): Promise<void>;
  release(): void;
}>;

export type Leased = Readonly<{
  token: string;
  until: number;
  /** Locks the row for the transaction; false if it has another token, or its lease ends before `until`. */
  isHeld(tx: Queryable, until: number): Promise<boolean>;
  /** Moves the lease's end; false if the row has another token by now. */
  extend(db: Db, until: number): Promise<boolean>;
  /** For the log. */
  about: Readonly<Record<string, unknown>>;
}>;

export function keepLease(
  { store, clock, log }: Readonly<{ store: Store; clock: Clock; log: Log }>,
  leased: Leased,
): Lease {
  const { lock } = store.process;
  let { until } = leased;
  let lost = false;
  /** How often this process had lost its lock when the lease was last confirmed. */
  let seenAt = lock?.losses();

  /** Moves the lease's end and then writes; throws LeaseLost. */
  async function extend(write?: (db: Db) => Promise<void>, options = UNFLUSHED): Promise<void> {
    const losses = lock?.losses();
    const end = clock.now() + LEASE_MS;
    const kept = await store.write(async ({ db }) => {
      if (!(await leased.extend(db, end))) return false;
      await write?.(db);
      return true;
    }, options);
    if (!kept) {
      lost = true;
      throw new LeaseLost();
    }
    until = Math.max(until, end);
    seenAt = losses;
  }

  /** Writes, and checks the lease in the same packet; false if another process has ended it. Then nothing is written. */
  async function writeIfHeld(write: (db: Db) => Promise<void>, options: WriteOptions | undefined): Promise<boolean> {
    const losses = lock?.losses();
    const attempt = store.write(async (tx) => {
      // The check comes first and locks the row. If it fails, so may the writes, but not the other way round.
      const [held, written] = await Promise.allSettled([leased.isHeld(tx, until), write(tx.db)]);
      if (held.status === 'rejected') throw held.reason;
      if (!held.value) throw new NotHeld();
      if (written.status === 'rejected') throw written.reason;
    }, options);
    try {
      await attempt;
    } catch (error) {
      if (error instanceof NotHeld) return false;
      throw error;
    }
    seenAt = losses;
    return true;
  }

  const renew = async () => {
    try {
      await extend();
    } catch (error) {
      if (error instanceof LeaseLost) return;
      log.warn({ ...leased.about, error }, 'lease not renewed');
    }
  };
  const stopRenewing = every(clock, RENEW_MS, () => void renew());

  return Object.freeze({
    token: leased.token,
    /** Moves the end only if another process has ended the lease meanwhile, as this changes indexes. */
    async held(write, options) {
      if (!(await writeIfHeld(write, options))) await extend(write, options ?? {});
    },
    async outlive(deadlineMs: number): Promise<void> {
      if (lost) throw new LeaseLost();
      const isSure = seenAt === lock?.losses() && until - clock.now() >= deadlineMs + LEASE_MARGIN_MS;
      if (!isSure) await extend();
    },
    release: stopRenewing,
  });
}
