import { MINUTE, HOUR } from '#kernel/clock.ts';
import { expect } from 'vitest';
import type { ApiError } from '#kernel/errors.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import { POST_MOVES } from './post-moves.ts';
import { refused, throttled } from '../../harness/platforms/publishing.ts';
import { itIn, type World } from '../../harness/worlds/publishing.ts';

/** Ways to bring a post into each state; a partial one goes to a platform that refused as well. */
const STATES: Readonly<Record<string, (world: World) => Promise<string>>> = {
  draft: async (world) => world.make([await world.account('bluesky')]),
  scheduled: async (world) => world.schedule([await world.account('bluesky')]),
  publishing: async (world) => (await world.publishInto('write', [throttled()])).id,
  published: async (world) => world.make([await world.account('bluesky')], { publishNow: true }),
  async partial(world) {
    const accounts = await world.pair();
    world.net.script(accounts[1], 'write', refused);
    return world.make(accounts, { publishNow: true });
  },
  failed: async (world) => (await world.publishInto('write', [refused])).id,
};

const MOVES: Readonly<Record<string, (world: World, id: string) => Promise<unknown>>> = {
  edit: (world, id) => world.edit(id, { content: { text: 'Edited' } }),
  schedule: (world, id) => world.edit(id, { scheduledAt: world.clock.now() + 2 * HOUR }),
  cancel: (world, id) => world.edit(id, { scheduledAt: null }),
  hide: (world, id) => world.edit(id, { hidden: true }),
  publish: (world, id) => world.publish(id),
  retry: (world, id) => world.retry(id),
  unpublish: (world, id) => world.unpublish(id),
  delete: (world, id) => world.remove(id),
};

describeStores('a post that is', (stores) => {
  const it = itIn(stores, { plan: 'free' });

  for (const [state, move, next, events = [], logs = [], credits = 0] of POST_MOVES) {
    it(`${state}: ${move} → ${next}`, async ({ world }) => {
      const id = await STATES[state]!(world);
      expect(await world.status(id)).toBe(state);
      const before = { events: await world.eventNames(), logs: await world.logged(), used: await world.used() };
      const moved = MOVES[move]!(world, id);
      const refusal = next.includes('.');
      if (refusal) await expect(moved).rejects.toMatchObject({ code: next, detail: { meta: { id, status: state } } });
      else await moved;
      await world.settle();
      expect(await world.status(id)).toBe(refusal ? state : next);
      expect((await world.eventNames()).slice(before.events.length)).toEqual(events);
      expect((await world.logged()).slice(before.logs.length)).toEqual(logs);
      expect((await world.used()) - before.used).toBe(credits);
      if (next === 'removed') await expectGone(world, id);
    });
  }
});

async function expectGone(world: World, id: string): Promise<void> {
  expect(await world.row(id)).toBeUndefined();
  expect(world.net.texts()).toEqual([]);
  const { posts, authority } = world;
  const asked = [
    () => posts.get(authority, id),
    () => world.remove(id),
    () => world.publish(id),
    () => world.retry(id),
    () => world.unpublish(id),
    () => world.edit(id, { hidden: true }),
    () => posts.metrics(authority, id),
  ];
  for (const ask of asked) await expect(ask()).rejects.toMatchObject({ code: 'post.not_found' });
}

describeStores('making a post', (stores) => {
  const it = itIn(stores, { plan: 'free' });

  it('leaves a draft without a time and without publish_now: no event, no credit', async ({ world }) => {
    const id = await world.make([], { text: '' });
    expect([await world.status(id), await world.eventNames(), await world.used()]).toEqual(['draft', [], 0]);
  });

  it('schedules with a future time and emits an event', async ({ world, account }) => {
    const data = {
      post_id: await world.schedule([account]),
      status: 'scheduled',
      scheduled_at: new Date(world.clock.now() + HOUR).toISOString(),
      targets: [{ account_id: account.id, platform: 'bluesky' }],
      brand_id: account.brand_id,
      metadata: { sandbox: true },
    };
    expect(await world.events()).toMatchObject([{ name: 'post.scheduled', data }]);
    expect(await world.used()).toBe(1);
  });

  it.for([
    ['publish_now with a time', { publishNow: true, scheduledAt: 1 }, 'validation.field_invalid', 'scheduled_at'],
    ['a time that has passed', { scheduledAt: -61_000 }, 'validation.field_invalid', 'scheduled_at'],
    ['nothing to say', { publishNow: true, text: ' ' }, 'validation.field_required', 'text'],
    ['a text that is too long', { publishNow: true, text: 'x'.repeat(101) }, 'validation.field_invalid', 'text'],
  ] as const)('refuses %s', async ([, draft, code, field], { world, account }) => {
    const times = 'scheduledAt' in draft ? { scheduledAt: world.clock.now() + draft.scheduledAt } : {};
    const making = world.make([account], { ...draft, ...times });
    await expect(making).rejects.toMatchObject({ code, detail: { meta: { field } } });
    expect([await world.eventNames(), await world.used()]).toEqual([[], 0]);
  });

  it('treats a time of up to a minute ago as now', async ({ world, account }) => {
    const id = await world.make([account], { scheduledAt: world.clock.now() - MINUTE });
    await world.settle();
    expect(await world.status(id)).toBe('published');
  });

  it('refuses publishing without targets, and with dead accounts alone', async ({ world, pair: [dead, live] }) => {
    await expect(world.make([], { publishNow: true })).rejects.toMatchObject({ code: 'validation.field_required' });
    await world.kill(dead.id);
    const code = 'account.reconnection_required';
    await expect(world.make([dead], { publishNow: true })).rejects.toMatchObject({ code });
    const id = await world.make([dead, live], { publishNow: true });
    expect(await world.status(id)).toBe('partial');
    expect((await world.targets(id)).map(({ status }) => status)).toEqual(['failed', 'published']);
    expect(await world.logged()).toEqual(expect.arrayContaining(['publish/skipped', 'publish/success']));
  });

  it('refuses the same content for an account within 24 hours, and names the first post', async ({ world }) => {
    const account = await world.account('bluesky');
    const first = await world.make([account], { text: 'Once', publishNow: true });
    const again = (more = {}) => world.make([account], { text: 'Once', publishNow: true, ...more });
    await expect(again()).rejects.toMatchObject({
      code: 'resource.conflict',
      message: expect.stringContaining('The same content went to bluesky'),
      detail: { meta: { id: first } },
    });
    await again({ skipDuplicateCheck: true });
    await world.make([account], { text: 'Once' });
    world.clock.move(24 * HOUR);
    await again();
    expect(world.net.texts()).toHaveLength(3);
  });

  it('says of content that is still to be published that it was scheduled', async ({ world, account }) => {
    const twice = { text: 'Soon', scheduledAt: world.clock.now() + HOUR };
    await world.make([account], twice);
    const message = expect.stringContaining('The same content was scheduled for bluesky');
    await expect(world.make([account], twice)).rejects.toMatchObject({ code: 'resource.conflict', message });
  });

  it('takes a repeat of a failed post', async ({ world, account }) => {
    world.net.script(account, 'write', refused);
    await world.make([account], { text: 'Once', publishNow: true });
    const id = await world.make([account], { text: 'Once', publishNow: true });
    expect(await world.status(id)).toBe('published');
  });

  it('makes one post of two equal requests at once', async ({ world, account }) => {
    const twice = [1, 2].map(() => world.make([account], { text: 'Once', publishNow: true }));
    const outcomes = (await Promise.allSettled(twice)).toSorted((one, other) => one.status.localeCompare(other.status));
    const conflict = { status: 'rejected', reason: { code: 'resource.conflict' } };
    expect(outcomes).toMatchObject([{ status: 'fulfilled' }, conflict]);
    expect(world.net.texts()).toEqual(['Once']);
  });

  it('answers a repeat on the last credit with the first post, not with the limit', async ({ world, account }) => {
    for (let n = 0; n < 9; n += 1) await world.make([account], { publishNow: true });
    await world.make([account], { text: 'Last', publishNow: true });
    const code = (text: string) =>
      world.make([account], { text, publishNow: true }).catch((error: ApiError) => error.code);
    expect([await code('Last'), await code('Other')]).toEqual(['resource.conflict', 'validation.post_limit_exhausted']);
  });
});
