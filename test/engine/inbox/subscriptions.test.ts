import { MINUTE, HOUR, DAY } from '#kernel/clock.ts';
import { expect, it } from 'vitest';
import { PlatformError } from '#platforms/errors.ts';
import { list } from '../../harness/calls/rest.ts';
import { accountPush, reading, said, type InboundScript } from '../../harness/platforms/inbound.ts';
import { describeStores, type Stores } from '../../harness/stores/stores.ts';
import { accountWorld } from '../../harness/worlds/account.ts';
import { inboxWith, type InboxWorld } from '../../harness/worlds/inbound.ts';

const SLUG = 'telegram';

/** A world with an account of a platform whose pushes are subscribed to by account. */
async function subscribedWorld(stores: Stores, script: Partial<InboundScript>) {
  const { world, account } = await inboxWith(stores, script, SLUG);
  await world.connect(account);
  return { world, account };
}

/** How often its platform is polled while two minutes pass so many times. */
async function pollsOf(world: InboxWorld, times: number): Promise<number> {
  const before = world.telling(SLUG).polled.length;
  for (let n = 0; n < times; n += 1) await world.pass(2 * MINUTE);
  return world.telling(SLUG).polled.length - before;
}

describeStores('a subscription that ends', { kinds: ['file', 'postgres'] }, (stores) => {
  it('is renewed before its end, by exactly one of two processes', async () => {
    const subscribed: number[] = [];
    const { push } = accountPush({
      subscribe: async ({ now }) => {
        subscribed.push(now());
        return { until: now() + 5 * HOUR };
      },
    });
    const { world } = await subscribedWorld(stores, { push });
    const other = await world.second();
    await world.settle([world, other]);
    expect(subscribed).toHaveLength(1);
    for (let time = 0; time < 5; time += 1) {
      world.clock.move(70 * MINUTE);
      await Promise.all([world.jobs.tick(), other.jobs.tick()]);
      await Promise.all([world.jobs.idle(), other.jobs.idle()]);
    }
    const [first, second, more] = subscribed;
    const life = second! - first!;
    expect([life >= 4 * HOUR, life < 5 * HOUR, more]).toEqual([true, true, undefined]);
  });
});

describeStores('a subscription', (stores) => {
  it('that the platform calls invalid is made again, and polls go on until it is', async () => {
    const valid = { now: true };
    const { push, targets } = accountPush({ isSubscribed: async () => valid.now });
    const { world } = await subscribedWorld(stores, { push });
    await world.settle();
    await world.pass(2 * HOUR);
    expect(targets).toHaveLength(1);
    valid.now = false;
    await world.pass(2 * HOUR);
    expect(targets).toHaveLength(2);
    expect(targets[1]).toEqual({ ...targets[0], kept: { n: 1 } });
  });

  it('that the platform refuses is asked for again later, and never loses its address', async () => {
    const refusals = [new PlatformError('refused', 'api_error', 'Not now.')];
    const { push, targets } = accountPush();
    const subscribe: typeof push.subscribe = async (call, target) => {
      const made = await push.subscribe!(call, target);
      const refusal = refusals.shift();
      if (refusal) throw refusal;
      return made;
    };
    const { world } = await subscribedWorld(stores, { push: { ...push, subscribe } });
    await world.settle();
    expect(world.log.some((line) => line.includes('pushes not subscribed'))).toBe(true);
    await world.pass(10 * MINUTE);
    expect(targets).toHaveLength(2);
    expect(targets[1]).toEqual(targets[0]);
  });

  it('is not made for an account that must be connected again, and is made when it was', async () => {
    const { push, targets } = accountPush();
    const { world, account } = await subscribedWorld(stores, { push });
    const status = (to: 'active' | 'reconnect_required') =>
      world.store.write(({ db }) => db.updateTable('accounts').set({ status: to }).execute());
    await status('reconnect_required');
    await world.settle();
    await world.pass(DAY);
    expect(targets).toEqual([]);
    await status('active');
    await world.connect(account);
    await world.settle();
    expect([targets.length, account.platform]).toEqual([1, SLUG]);
  });

  it('is ended where its renewal finds that the login has ended', async () => {
    const { push } = accountPush();
    const lost = { now: false };
    const subscribe: typeof push.subscribe = async (call, target) => {
      if (lost.now) throw new PlatformError('refused', 'auth', 'The login has ended.');
      return { ...(await push.subscribe!(call, target)), until: call.now() + HOUR };
    };
    const { world, account } = await subscribedWorld(stores, { push: { ...push, subscribe } });
    await world.settle();
    lost.now = true;
    await world.pass(HOUR);
    expect(world.endedPushes).toEqual([account.id]);
  });

  it('is not noted after polls that go on beside it', async () => {
    const { push } = accountPush();
    const { world } = await subscribedWorld(stores, { push, poll: () => reading(1) });
    await world.settle();
    expect(await pollsOf(world, 5)).toBe(5);
    const noted = await world.store.db.selectFrom('subscriptions').select('caught_up').execute();
    expect(noted).toEqual([{ caught_up: 0 }]);
  });

  it('of an account that went meanwhile is ended at once', async () => {
    const { push, ended } = accountPush();
    let gone = async () => {};
    const subscribe: typeof push.subscribe = async (call, target) => {
      await gone();
      return push.subscribe!(call, target);
    };
    const { world, account } = await subscribedWorld(stores, { push: { ...push, subscribe } });
    gone = () =>
      world.store.write(async ({ db }) => {
        await db.deleteFrom('accounts').where('id', '=', account.id).execute();
        await db.deleteFrom('subscriptions').execute();
      });
    await world.settle();
    expect(ended).toEqual([{ n: 1 }]);
  });

  it('pauses polls that it replaces, after one more, and they go on when it ends', async () => {
    const subscribable = { now: false };
    let until = 0;
    const { push } = accountPush({
      subscribe: async () => {
        if (!subscribable.now) throw new PlatformError('refused', 'api_error', 'Not now.');
        return { until };
      },
    });
    const { world } = await subscribedWorld(stores, { push, poll: () => reading(1), when: 'unpushed' });
    await world.settle();
    expect(await pollsOf(world, 5)).toBe(5);
    subscribable.now = true;
    until = world.clock.now() + DAY;
    await world.pass(2 * HOUR);
    await pollsOf(world, 1);
    expect(await pollsOf(world, 20)).toBe(0);
    subscribable.now = false;
    await world.pass(DAY);
    expect(await pollsOf(world, 5)).toBe(5);
  });

  it('is not made while there is nothing to make it with, and polls go on until there is', async () => {
    const topic = { is: undefined as string | undefined };
    const made: unknown[] = [];
    const { push } = accountPush({
      scope: 'app',
      subscribe: async () => {
        made.push(topic.is);
        return topic.is === undefined ? undefined : { kept: topic.is };
      },
      isSubscribed: async (_call, kept) => kept === topic.is,
    });
    const { world } = await subscribedWorld(stores, { push, poll: () => reading(1), when: 'unpushed' });
    await world.settle();
    for (let time = 0; time < 2; time += 1) {
      expect(await pollsOf(world, 5)).toBe(5);
      await world.pass(2 * HOUR);
    }
    expect(made).toEqual([undefined, undefined, undefined]);
    topic.is = 'reviews';
    await world.pass(2 * HOUR);
    await pollsOf(world, 1);
    expect(await pollsOf(world, 20)).toBe(0);
    topic.is = undefined;
    await world.pass(2 * HOUR);
    expect(await pollsOf(world, 5)).toBe(5);
    expect(made.filter((one) => one !== undefined)).toEqual(['reviews']);
  });
});

it('is not asked for where the platform cannot reach this server', async () => {
  const { push, targets } = accountPush();
  const { world } = await accountWorld({ push }, SLUG);
  expect(targets).toHaveLength(1);
  const real = accountPush();
  const env = { SANDBOX: 'off' };
  const away = await accountWorld({ push: real.push }, SLUG, env);
  await away.world.pass(DAY);
  expect(real.targets).toEqual([]);
  const reachable = accountPush();
  await accountWorld({ push: reachable.push }, SLUG, { ...env, ROOT_URL: 'https://rostra.example.org' });
  expect(reachable.targets.map(({ callback }) => new URL(callback).origin)).toEqual(['https://rostra.example.org']);
  expect(world.log.length).toBeGreaterThan(0);
});

it('a page that refuses is logged once, and the others are read', async () => {
  const error = new PlatformError('refused', 'blocked', 'Not for you.');
  let n = 0;
  const skipped = [{ page: 'p1', error }];
  const poll = () => ({ ...reading((n += 1), [said(`m${n}`)]), skipped });
  const { world } = await accountWorld({ poll }, SLUG);
  for (let time = 0; time < 3; time += 1) await world.pass(2 * MINUTE);
  expect(n).toBeGreaterThan(3);
  expect(world.log.filter((line) => line.includes('page skipped'))).toHaveLength(1);
  skipped.pop();
  await world.pass(2 * MINUTE);
  skipped.push({ page: 'p1', error });
  await world.pass(2 * MINUTE);
  expect(world.log.filter((line) => line.includes('page skipped'))).toHaveLength(2);
});

it('a page that refuses keeps a sync from no other one, and is logged once', async () => {
  const pages = ['p1', 'p2'].map((platform_page_id) => ({ platform_page_id, name: platform_page_id }));
  const posts = pages.map(({ platform_page_id: page_id }) => ({
    platform_post_id: `post of ${page_id}`,
    text: '',
    created_at: 0,
    media: [],
    page_id,
  }));
  const { world, telling, accountId } = await accountWorld({ pages, posts }, SLUG);
  telling.refused.add('p1');
  const sync = async () => {
    world.clock.move(10 * MINUTE);
    const { status, body } = await world.rest(`POST /v1/accounts/${accountId}/sync`);
    const listed = await list(world, '/v1/inbox/comments');
    return [status, body.error?.code ?? body, listed.map(({ platform_id }) => platform_id)];
  };
  const named = { warnings: ['The page p1 was left out: Not for you.'] };
  expect(await sync()).toEqual([200, named, ['post of p2']]);
  expect(await sync()).toEqual([200, named, ['post of p2']]);
  expect(world.log.filter((line) => line.includes('page skipped'))).toHaveLength(1);
  telling.refused.add('p2');
  expect(await sync()).toEqual([403, `platform.${SLUG}.blocked`, ['post of p2']]);
});
