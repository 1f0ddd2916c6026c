import { SECOND, MINUTE, HOUR } from '#kernel/clock.ts';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'vitest';
import { PlatformError } from '#platforms/errors.ts';
import { ApiError } from '#kernel/errors.ts';
import { LeaseLost } from '#engine/jobs/lease.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import { throttled } from '../../harness/platforms/publishing.ts';
import { contentOf, itIn, type World } from '../../harness/worlds/publishing.ts';

const waiting = async ({ store: { db } }: World): Promise<number> => {
  const posts = db.selectFrom('posts').select('id').where('status', 'in', ['scheduled', 'publishing']);
  return (await posts.execute()).length;
};

describeStores('posts that are due in the same second', { kinds: ['file', 'postgres'] }, (stores) => {
  const it = itIn(stores);

  it('all become final, those of an account in the order of their times, with two processes at work', async ({
    world,
  }) => {
    const other = await world.second();
    const accounts = [];
    for (let n = 0; n < 5; n += 1) accounts.push(await world.account('bluesky'));
    const at = world.clock.now() + HOUR;
    // Made in an order that is not that of their times; of equal times the one made first goes first.
    for (let n = 0; n < 30; n += 1) {
      const [account, time] = [accounts[n % 5]!, Math.floor((29 - n) / 10) * 100];
      await world.make([account], { text: `${time}.${String(n).padStart(2, '0')}`, scheduledAt: at + time });
    }
    world.clock.move(HOUR + SECOND);
    for (let round = 0; round < 60 && (await waiting(world)) > 0; round += 1)
      await Promise.all([world.settle(), other.settle()]);
    expect(await waiting(world)).toBe(0);
    for (const account of accounts) {
      const texts = world.net.texts(account);
      expect(texts).toHaveLength(6);
      const timeOf = (text: string) => Number(text.split('.')[0]);
      expect(texts).toEqual(texts.toSorted((a, b) => timeOf(a) - timeOf(b) || (a < b ? -1 : 1)));
    }
    expect(world.net.calls.filter((call) => call.endsWith('write'))).toHaveLength(30);
    expect((await world.eventNames()).filter((name) => name === 'post.published')).toHaveLength(30);
  });

  it('wait for the one of their account that a dead process left', async ({ world, account }) => {
    let isAlive = true;
    const dying = await world.second({
      crash() {
        if (!isAlive) throw new LeaseLost();
      },
    });
    const at = world.clock.now() + HOUR;
    for (const [n, text] of ['first', 'second', 'third'].entries())
      await world.make([account], { text, scheduledAt: at + n });
    world.clock.move(HOUR + SECOND);
    isAlive = false;
    await dying.posts.worker.tick();
    await dying.posts.worker.idle();
    await world.pass(89 * SECOND);
    expect(world.net.texts()).toEqual([]);
    await world.pass(2 * SECOND);
    expect(world.net.texts()).toEqual(['first', 'second', 'third']);
  });
});

describeStores('what a platform holds back for an account', (stores) => {
  const it = itIn(stores);

  it('holds back its other posts until then, in their order, and nobody else’s', async ({ world }) => {
    const [account, other] = [await world.account('bluesky'), await world.account('bluesky')];
    world.net.script(account, 'write', throttled(300));
    const at = world.clock.now() + HOUR;
    for (const [text, time] of [
      ['fourth', 100 * SECOND],
      ['third', 5 * SECOND],
      ['second', 2 * SECOND],
      ['first', 0],
      ['later', 301 * SECOND],
    ] as const)
      await world.make([account], { text, scheduledAt: at + time });
    await world.make([other], { text: 'elsewhere', scheduledAt: at + 3 * SECOND });
    await world.pass(HOUR);
    for (const seconds of [10, 200, 89]) await world.pass(seconds * SECOND);
    expect(world.net.texts()).toEqual(['elsewhere']);
    expect(world.net.calls.filter((call) => call === `${account.id} write`)).toHaveLength(1);
    await world.pass(SECOND);
    expect(world.net.texts(account)).toEqual(['first']);
    await world.pass(SECOND);
    expect(world.net.texts(account)).toEqual(['first', 'second', 'third', 'fourth', 'later']);
  });

  it('is no business of a post whose media is held back', async ({ world, account }) => {
    const cause = new PlatformError('throttled', 'api_error', 'The host answers with status 429.', { retryAfter: 300 });
    world.opened.push(new ApiError('validation.field_invalid', { message: 'media: no.', cause }));
    const at = world.clock.now() + HOUR;
    const media = [{ source: 'https://media.test/a.png', source_type: 'url' as const }];
    await world.make([account], { content: { ...contentOf('picture'), media }, scheduledAt: at });
    await world.make([account], { text: 'words', scheduledAt: at + SECOND });
    await world.pass(HOUR);
    await world.pass(SECOND);
    expect(world.net.texts()).toEqual(['words']);
    await world.pass(5 * MINUTE);
    expect(world.net.texts()).toEqual(['words', 'picture']);
  });
});

describeStores('a platform that does not answer', { kinds: ['memory'] }, (stores) => {
  const it = itIn(stores, { slots: { all: 3, platform: 2 } });

  it('leaves places for the others, whether it is time or a request that publishes there', async ({ world }) => {
    const gate = world.net.gate();
    const at = world.clock.now() + HOUR;
    for (let n = 0; n < 3; n += 1) {
      const [stuck, asked] = [await world.account('bluesky'), await world.account('bluesky')];
      for (const account of [stuck, asked]) world.net.script(account, 'prepare', gate);
      await world.make([stuck], { scheduledAt: at });
      void world.make([asked], { publishNow: true });
    }
    await world.make([await world.account('pinterest')], { text: 'goes out', scheduledAt: at + SECOND });
    // Whatever is about to happen by itself happens.
    const quiet = async () => {
      for (let n = 0; n < 200; n += 1) await turn();
    };
    await quiet();
    world.clock.move(HOUR + SECOND);
    while ((await world.posts.worker.tick()) > 0) continue;
    await quiet();
    expect(world.net.texts()).toEqual(['goes out']);
    gate.open();
    await world.settle();
    expect(await waiting(world)).toBe(0);
  });
});
