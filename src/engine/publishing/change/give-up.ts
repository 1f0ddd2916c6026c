import { takeAllDue } from '#db/posts/target-queue.ts';
import type { Store } from '#db/store/store.ts';
import type { Clock } from '#kernel/clock.ts';
import { conclude } from '../attempt/conclude.ts';
import { ownFailure } from '../state/target-error.ts';
import { LEASE_MS } from '../../jobs/lease.ts';

const AT_ONCE = 50;

/** Fails all targets that are due or running, since another server may have published them; returns how many. */
export async function giveUpDue({ store, clock }: Readonly<{ store: Store; clock: Clock }>): Promise<number> {
  const failed = ownFailure('publishing.delivery.taken_over');
  for (let ended = 0; ;) {
    const some = await store.write(async (tx) => {
      const now = clock.now();
      const lease = { token: tx.process.newToken(), until: now + LEASE_MS };
      const targets = await takeAllDue(tx.db, tx.dialect, { now, most: AT_ONCE, lease });
      for (const target of targets)
        await conclude(tx, target, lease.token, { failed, skipped: true, durationMs: 0 }, now);
      return targets.length;
    });
    if (some === 0) return ended;
    ended += some;
  }
}
