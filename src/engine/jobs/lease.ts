import type { WriteOptions } from '#db/store/backend.ts';
import type { Store } from '#db/store/store.ts';
import type { Db } from '#db/store/tx.ts';
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

/** The exclusive right to some work, for a limited time. */
export type Lease = Readonly<{
  token: string;
  /** Extends the lease and writes, in one transaction; throws LeaseLost. */
  held(write: (db: Db) => Promise<void>, options?: WriteOptions): Promise<void>;
  /** Ensures that the lease outlives a request's deadline; throws LeaseLost. */
  outlive(deadlineMs: number): Promise<void>;
  release(): void;
}>;

/** `extend` moves the lease's end; it returns false if the row has another token by now. */
export type Leased = Readonly<{
  token: string;
  until: number;
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

  async function held(write: (db: Db) => Promise<void>, options?: WriteOptions): Promise<void> {
    const longer = clock.now() + LEASE_MS;
    const losses = lock?.losses();
    const kept = await store.write(async (tx) => {
      if (!(await leased.extend(tx.db, longer))) return false;
      await write(tx.db);
      return true;
    }, options);
    if (!kept) {
      lost = true;
      throw new LeaseLost();
    }
    until = longer;
    seenAt = losses;
  }

  const renew = async () => {
    try {
      await held(async () => {}, UNFLUSHED);
    } catch (error) {
      if (error instanceof LeaseLost) return;
      log.warn({ ...leased.about, error }, 'lease not renewed');
    }
  };
  const stopRenewing = every(clock, RENEW_MS, () => void renew());

  return Object.freeze({
    token: leased.token,
    held,
    async outlive(deadlineMs: number): Promise<void> {
      if (lost) throw new LeaseLost();
      const isSure = seenAt === lock?.losses() && until - clock.now() >= deadlineMs + LEASE_MARGIN_MS;
      if (!isSure) await held(async () => {}, UNFLUSHED);
    },
    release: stopRenewing,
  });
}
