import type { Store } from '../../../db/store.ts';
import { patchLeased } from '../../../db/targets.ts';
import type { Db } from '../../../db/tx.ts';
import type { Clock } from '../../kernel/clock.ts';
import { errorFields, type Log } from '../../kernel/log.ts';
import { LEASE_MARGIN_MS, LEASE_MS, RENEW_MS } from './patience.ts';

/** The lease was lost: another worker has the target, so nothing more may be sent or written. */
export class LeaseLost extends Error {}

/** The right to work on a target, for as long as it is kept. */
export type Lease = Readonly<{
  token: string;
  /** Writes and makes the lease longer, in one transaction; throws LeaseLost. */
  held(write: (db: Db) => Promise<void>): Promise<void>;
  /** Makes sure that the lease outlives a request of that deadline; throws LeaseLost. */
  outlive(deadlineMs: number): Promise<void>;
  /** Ends the renewing. */
  release(): void;
}>;

/** Keeps a lease alive until it is released; `until` says how long it was given for. */
export function keepLease(
  { store, clock, log }: Readonly<{ store: Store; clock: Clock; log: Log }>,
  target: Readonly<{ id: string; lease_until: number }>,
  token: string,
): Lease {
  let until = target.lease_until;
  let lost = false;
  let cancel = () => {};

  async function held(write: (db: Db) => Promise<void>): Promise<void> {
    const longer = clock.now() + LEASE_MS;
    const kept = await store.write(async (tx) => {
      if (!(await patchLeased(tx.db, target.id, token, { lease_until: longer, due_at: longer }))) return false;
      await write(tx.db);
      return true;
    });
    if (!kept) {
      lost = true;
      throw new LeaseLost();
    }
    until = longer;
  }

  const renew = async () => {
    try {
      await held(async () => {});
    } catch (error) {
      if (error instanceof LeaseLost) return;
      log.warn({ target_id: target.id, error: errorFields(error) }, 'lease not renewed');
    }
  };
  const arm = () => {
    cancel = clock.after(RENEW_MS, () => {
      arm();
      void renew();
    });
  };
  arm();

  return Object.freeze({
    token,
    held,
    async outlive(deadlineMs: number): Promise<void> {
      if (lost) throw new LeaseLost();
      if (until - clock.now() < deadlineMs + LEASE_MARGIN_MS) await held(async () => {});
    },
    release: () => cancel(),
  });
}
