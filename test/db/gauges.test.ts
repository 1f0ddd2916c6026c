import { expect, it } from 'vitest';
import { productStore } from '#db/outbox/outbox.ts';
import {
  countAccounts,
  countEndpoints,
  dueDeliveries,
  dueJobs,
  dueTargets,
  mostUsed,
  sizesOf,
} from '#db/upkeep/gauges.ts';
import { takeQuota } from '#db/access/quotas.ts';
import { JOB_KINDS } from '#kernel/jobs.ts';
import { fakeClock } from '../harness/clock.ts';
import { describeStores } from '../harness/stores/stores.ts';

describeStores('gauges', { kinds: ['file', 'postgres'] }, (stores) => {
  it('count what is due, and since when, on every kind of store', async () => {
    const clock = fakeClock();
    const bare = await stores.open(await stores.place());
    const store = productStore(bare, clock);
    const { db } = store;
    const now = clock.now();
    const nothing = { due: 0, since: null };
    expect([await dueTargets(db, now), await dueDeliveries(db, now), await dueJobs(db, JOB_KINDS, now)]).toEqual([
      nothing,
      nothing,
      [],
    ]);
    await store.write(async (tx) => {
      await tx.enqueue({ kind: 'take_push', key: 'a', runAt: now - 5000 });
      await tx.enqueue({ kind: 'take_push', key: 'b', runAt: now });
      await tx.enqueue({ kind: 'sweep_media', key: 'all', runAt: now + 1 });
    });
    expect(await dueJobs(db, JOB_KINDS, now)).toEqual([{ kind: 'take_push', due: 2, since: now - 5000 }]);
    expect([await countAccounts(db), await countEndpoints(db)]).toEqual([[], []]);
    const sizes = await sizesOf(db, store.dialect);
    expect(sizes.store).toBeGreaterThan(0);
    expect(sizes.media).toBe(0);
  });

  it('know the most that anybody used of a quota in its window', async () => {
    const store = await stores.open(await stores.place());
    const take = (bucket: string, start: number, units: number) =>
      store.write((tx) => takeQuota(tx.db, { bucket, start, end: start + 1000 }, { units, limit: 100 }));
    await take('real google edits acc_1', 1000, 3);
    await take('real google edits acc_2', 1000, 7);
    await take('real google edits acc_3', 0, 90);
    await take('real google editshare acc_1', 1000, 50);
    const asked = ['real google edits', 'real google requests'].map((bucket) => ({ bucket, start: 1000 }));
    expect(await mostUsed(store.db, asked)).toEqual(new Map([['real google edits', 7]]));
  });
});
