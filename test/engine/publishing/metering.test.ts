import { SECOND, MINUTE, HOUR, DAY } from '#kernel/clock.ts';
import { expect } from 'vitest';
import { describeStores } from '../../harness/stores/stores.ts';
import {
  refused,
  revoked,
  silent,
  throttled,
  times,
  unsent,
  type Verdict,
} from '../../harness/platforms/publishing.ts';
import { itIn, type World } from '../../harness/worlds/publishing.ts';

const FAR = throttled(3600);

const draft = async (world: World) => world.make([await world.account('bluesky')]);
const scheduled = async (world: World) => world.schedule([await world.account('bluesky')]);

/** What is done, by the credits that it costs in the end: docs/contract/plans.md#what-is-counted. */
const COSTS: Readonly<Record<number, Readonly<Record<string, (world: World) => Promise<unknown>>>>> = {
  0: {
    'a draft': draft,
    'a scheduled post that became a draft again': async (world) =>
      world.edit(await scheduled(world), { scheduledAt: null }),
    'a scheduled post that was deleted before its time': async (world) => world.remove(await scheduled(world)),
    'a scheduled post that was picked up too late': async (world) => {
      await scheduled(world);
      await world.pass(8 * HOUR);
    },
    'publish_now, throttled for good': async (world) => world.publishInto('write', [FAR]),
    'publish_now, throttled after some patience': async (world) => {
      await world.publishInto('write', times(6, throttled(1)));
      for (let n = 0; n < 5; n += 1) await world.pass(SECOND);
    },
    'publish_now, nothing sent after all tries': async (world) => {
      await world.publishInto('write', [unsent, unsent, unsent]);
      await world.pass(10 * SECOND);
      await world.pass(MINUTE);
    },
    'a throttled post whose retry was throttled': async (world) => retryInto(world, FAR, FAR),
  },
  1: {
    'a scheduled post': scheduled,
    'a post of which one target was skipped': async (world) => {
      const [one, two] = await world.pair();
      await world.schedule([one, two]);
      await world.disconnect(two.id);
      await world.pass(HOUR);
    },
    'publish_now to one target': async (world) => world.make([await world.account('bluesky')], { publishNow: true }),
    'publish_now to three targets': async (world) =>
      world.make([await world.account('bluesky'), ...(await world.pair())], { publishNow: true }),
    'publish_now, refused by the platform': async (world) => world.publishInto('write', [refused]),
    'publish_now, refused for the token': async (world) => world.publishInto('write', [revoked]),
    'publish_now, outcome unknown': async (world) => {
      await world.publishInto('write', times(6, silent));
      for (const wait of [5, 30, 120, 600]) await world.pass(wait * SECOND);
    },
    'publish_now, one of two throttled': async (world) => {
      const [one, two] = await world.pair();
      world.net.script(one, 'write', FAR);
      await world.make([one, two], { publishNow: true });
    },
    'a draft that was scheduled': async (world) => {
      const id = await draft(world);
      await world.edit(id, { scheduledAt: world.clock.now() + HOUR });
      await world.edit(id, { scheduledAt: world.clock.now() + 2 * HOUR });
    },
    'a draft that was published': async (world) => world.publish(await draft(world)),
    'a scheduled post that was published now': async (world) => world.publish(await scheduled(world)),
    'a retry that was throttled': async (world) => retryInto(world, refused, FAR),
    'a partial post whose retry was throttled': async (world) => {
      const [one, two] = await world.pair();
      world.net.script(one, 'write', refused, FAR);
      const id = await world.make([one, two], { publishNow: true });
      await world.retry(id);
      expect(await world.status(id)).toBe('partial');
    },
    'an unpublished and deleted post': async (world) => {
      const [one, two] = await world.pair('facebook');
      const id = await world.make([one, two], { publishNow: true });
      await world.unpublish(id, [one.id]);
      await world.remove(id);
    },
  },
  2: {
    'a failed post that was retried': async (world) => retryInto(world, refused),
  },
};

async function retryInto(world: World, ...verdicts: readonly Verdict[]): Promise<void> {
  const { id } = await world.publishInto('write', verdicts);
  await world.retry(id);
}

describeStores('credits', (stores) => {
  const it = itIn(stores, { plan: 'free' });

  for (const [credits, deeds] of Object.entries(COSTS)) {
    it.for(Object.entries(deeds))(`%s: ${credits}`, async ([, act], { world }) => {
      await act(world);
      expect(await world.used()).toBe(Number(credits));
    });
  }
});

describeStores('the last credit', (stores) => {
  const it = itIn(stores, { plan: 'free' });

  async function spend(world: World, credits: number): Promise<void> {
    const account = await world.account('bluesky');
    for (let n = 0; n < credits; n += 1) await world.schedule([account]);
  }

  const limit = { code: 'validation.post_limit_exhausted', detail: { meta: { plan: 'free', max: 10 } } };

  it('goes to one of two requests', async ({ world }) => {
    await spend(world, 9);
    const accounts = [await world.account('bluesky'), await world.account('bluesky')];
    const outcomes = await Promise.allSettled(accounts.map((account) => world.make([account], { publishNow: true })));
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({ reason: limit });
    expect([await world.used(), world.net.texts().length]).toEqual([10, 1]);
  });

  it('gone, scheduling, publishing and retrying are refused and change nothing; drafts are free', async ({ world }) => {
    const { account, id: failed } = await world.publishInto('write', [refused]);
    await spend(world, 9);
    const id = await world.make([account]);
    const refusals = [
      () => world.make([account], { publishNow: true }),
      () => world.schedule([account]),
      () => world.edit(id, { scheduledAt: world.clock.now() + HOUR }),
      () => world.publish(id),
      () => world.retry(failed),
    ];
    for (const act of refusals) await expect(act()).rejects.toMatchObject(limit);
    expect([await world.status(id), await world.used()]).toEqual(['draft', 10]);
    expect(await world.row(failed)).toMatchObject({ status: 'failed', retry_count: 0 });
  });

  it('of a month goes back to that month', async ({ world }) => {
    const id = await world.make([await world.account('bluesky')], { scheduledAt: world.clock.now() + 40 * DAY });
    world.clock.move(31 * DAY);
    await world.make([await world.account('bluesky')], { publishNow: true });
    await world.remove(id);
    const rows = await world.store.db.selectFrom('usage').select('posts').orderBy('period_start').execute();
    expect(rows.map(({ posts }) => posts)).toEqual([0, 1]);
  });

  it('says when there are new ones', async ({ world, account }) => {
    await spend(world, 10);
    world.clock.move(DAY);
    const making = world.make([account], { publishNow: true });
    await expect(making).rejects.toMatchObject({ status: 429, detail: { retryAfter: (29 * DAY) / 1000 } });
  });
});
