import { HOUR, DAY } from '#kernel/clock.ts';
import { describe, expect, test } from 'vitest';
import { PlatformError } from '#platforms/errors.ts';
import type { PostMetrics } from '#platforms/posts.ts';
import { call, callThrough, DOORS, expectInvalid, expectRefusal } from '../../harness/calls/operations.ts';
import type { Json, World } from '../../harness/world.ts';
import { makeOfflineWorld, postOf } from '../../harness/worlds/post-stage.ts';

/** What the platform counts of each post, by its id there, and what its next call meets. */
type Counter = { counts: Map<string, PostMetrics>; asked: string[][]; error?: Error | undefined };

const counted = (likes: number, views = 0): PostMetrics => ({
  likes,
  comments: 0,
  shares: 0,
  saves: 0,
  extra: { views },
});

/** A world with an account on a platform whose counts are set. It is nine in the morning of Thursday, 15 January. */
async function makeScene() {
  const counter: Counter = { counts: new Map(), asked: [] };
  const { world, connect } = await makeOfflineWorld(async (_call, measured) => {
    counter.asked.push(measured.map(({ id }) => id));
    if (counter.error) throw counter.error;
    return new Map(measured.flatMap(({ id }) => (counter.counts.has(id) ? [[id, counter.counts.get(id)!]] : [])));
  });
  const account = await connect('t');
  await world.pass(2 * 60_000);
  return { world: { ...world, account }, counter };
}

const it = test.extend('scene', () => makeScene());

/** Publishes a post; answers its id, and that on the platform. */
async function publish(world: World & { account: Json }, text: string) {
  const post = await postOf(world, { text, publish_now: true });
  return { id: post.id as string, there: post.targets[0].platform_post_id as string };
}

/** Lets hours pass, one after the other, as jobs are looked at. */
async function passHours(world: World, hours: number): Promise<void> {
  for (let n = 0; n < hours; n += 1) await world.pass(HOUR);
}

const analytics = async (world: World, input: object = {}) => (await call(world, 'get_analytics', { ...input })).body;

describe('get_analytics', () => {
  it('adds up what posts gained day by day, without anybody asking for their metrics', async ({ scene }) => {
    const { world, counter } = scene;
    const { id, there } = await publish(world, 'First');
    counter.counts.set(there, counted(10, 100));
    await passHours(world, 6);
    counter.counts.set(there, counted(25, 180));
    await passHours(world, 24);
    const body = await analytics(world, { from: '2026-01-15', to: '2026-01-16', group_by: 'day' });
    expect(body).toMatchObject({
      from: '2026-01-15',
      to: '2026-01-16',
      timezone: 'UTC',
      totals: { published: 1, likes: 25, comments: 0, shares: 0, saves: 0, views: 180 },
      previous: { from: '2026-01-13', to: '2026-01-14', totals: { published: 0, likes: 0, views: 0 } },
      change: { published: 1, likes: 25, views: 180 },
      change_percent: { likes: null },
      groups: [{ day: '2026-01-15', published: 1, likes: 25, views: 180 }],
      more_groups: false,
    });
    counter.counts.set(there, counted(20, 400));
    await passHours(world, 24);
    // Of an older post the hour depends on chance, and so may the day.
    const later = await analytics(world, { from: '2026-01-16', to: '2026-01-17' });
    expect(later.totals).toEqual({ published: 0, likes: -5, comments: 0, shares: 0, saves: 0, views: 220 });
    expect([later.change.likes, later.change_percent.likes]).toEqual([-30, -120]);
    expect((await call(world, 'get_post_metrics', { post_id: id })).body.data.targets[0].metrics.likes).toBe(20);
  });

  it.for(['post', 'platform', undefined] as const)(
    'adds up all weeks of a period, grouped by %s',
    async (by, { scene }) => {
      const { world, counter } = scene;
      const { there } = await publish(world, 'First');
      counter.counts.set(there, counted(2, 10));
      await passHours(world, 24);
      counter.counts.set(there, counted(5, 30));
      await world.pass(9 * DAY);
      await passHours(world, 24);
      const body = await analytics(world, { from: '2026-01-14', to: '2026-02-03', ...(by && { group_by: by }) });
      const sums = { published: 1, likes: 5, comments: 0, shares: 0, saves: 0, views: 30 };
      expect(body.totals).toEqual(sums);
      expect(body.groups).toEqual(by && [expect.objectContaining(sums)]);
    },
  );

  it('counts recent posts more often than older ones, and old ones not at all', async ({ scene }) => {
    const { world, counter } = scene;
    const { there } = await publish(world, 'First');
    counter.counts.set(there, counted(1));
    const during = async (days: number) => {
      counter.asked.length = 0;
      await passHours(world, days * 24);
      return counter.asked.length;
    };
    const [first, second] = [await during(1), await during(1)];
    expect(first).toBeGreaterThanOrEqual(6);
    expect(second).toBeGreaterThanOrEqual(1);
    expect(second).toBeLessThan(first);
    await world.pass(100 * DAY);
    await passHours(world, 2);
    expect(await during(2)).toBe(0);
  });

  it('says how fresh the numbers are, and how many posts have none', async ({ scene }) => {
    const { world, counter } = scene;
    const { there } = await publish(world, 'First');
    await publish(world, 'Never counted');
    counter.counts.set(there, counted(3));
    const none = (await analytics(world)).freshness;
    expect(none).toEqual({ as_of: null, oldest_fetch: null, targets: 2, targets_without_numbers: 2 });
    await passHours(world, 2);
    const { freshness } = await analytics(world);
    expect(freshness).toMatchObject({ targets: 2, targets_without_numbers: 1 });
    expect(freshness.as_of).toBe(freshness.oldest_fetch);
    expect(Date.parse(freshness.as_of)).toBeGreaterThan(world.clock.now() - 3 * HOUR);
  });

  it('takes metrics that were asked for, and counts nothing twice', async ({ scene }) => {
    const { world, counter } = scene;
    const { id, there } = await publish(world, 'First');
    counter.counts.set(there, counted(4));
    await call(world, 'get_post_metrics', { post_id: id });
    expect((await analytics(world)).totals.likes).toBe(4);
    await passHours(world, 3);
    await call(world, 'get_post_metrics', { post_id: id });
    expect((await analytics(world)).totals.likes).toBe(4);
  });

  it.for(['platform', 'account', 'post'] as const)(
    'groups by %s, what gained most first',
    async (group_by, { scene }) => {
      const { world, counter } = scene;
      const posts = [await publish(world, 'Quiet'), await publish(world, 'Loud')];
      counter.counts.set(posts[0]!.there, counted(1)).set(posts[1]!.there, counted(9));
      await passHours(world, 2);
      const { groups } = await analytics(world, { group_by });
      const shown = { comments: 0, shares: 0, saves: 0, views: 0 };
      const expected = {
        platform: [{ platform: 'linkedin', published: 2, likes: 10, ...shown }],
        account: [{ account_id: world.account.id, platform: 'linkedin', published: 2, likes: 10, ...shown }],
        post: [
          { post_id: posts[1]!.id, text: 'Loud', published: 1, likes: 9, ...shown },
          { post_id: posts[0]!.id, text: 'Quiet', published: 1, likes: 1, ...shown },
        ],
      };
      expect(groups).toMatchObject(expected[group_by]);
      expect(groups).toHaveLength(expected[group_by].length);
    },
  );

  it('adds up one post alone', async ({ scene }) => {
    const { world, counter } = scene;
    const posts = [await publish(world, 'Quiet'), await publish(world, 'Loud')];
    counter.counts.set(posts[0]!.there, counted(1)).set(posts[1]!.there, counted(9));
    await passHours(world, 2);
    const { totals, groups, freshness } = await analytics(world, { post_id: posts[0]!.id, group_by: 'day' });
    expect([totals.published, totals.likes, groups.length, freshness.targets]).toEqual([1, 1, 1, 1]);
    const other = (await call(world, 'create_brand', { name: 'Other' })).body.id as string;
    const key = await world.newKey({ brand_ids: [other] });
    const hidden = call(world, 'get_analytics', { post_id: posts[0]!.id }, { key });
    await expectRefusal(hidden, 'post.not_found');
  });

  it('begins days at midnight of the timezone of the workspace', async ({ scene }) => {
    const { world, counter } = scene;
    await call(world, 'patch_me', { timezone: 'Pacific/Auckland' });
    // 22 o'clock of the 15th there.
    const { there } = await publish(world, 'First');
    counter.counts.set(there, counted(2));
    await passHours(world, 2);
    counter.counts.set(there, counted(7));
    await passHours(world, 6);
    const { groups, to, timezone } = await analytics(world, { group_by: 'day' });
    expect([to, timezone]).toEqual(['2026-01-16', 'Pacific/Auckland']);
    expect(groups.map(({ day, likes }: Json) => [day, likes])).toEqual([
      ['2026-01-15', 2],
      ['2026-01-16', 5],
    ]);
  });

  it('counts a publication at once, on its day, and once', async ({ scene }) => {
    const { world, counter } = scene;
    await call(world, 'patch_me', { timezone: 'Pacific/Auckland' });
    // 22 o'clock of the 15th there, and half an hour after midnight.
    const first = await publish(world, 'First');
    await passHours(world, 2);
    await world.pass(HOUR / 2);
    const second = await publish(world, 'Second');
    // Of the first one the platform says nothing.
    expect((await analytics(world, { from: '2026-01-16', to: '2026-01-16' })).totals).toEqual({
      published: 1,
      likes: 0,
      comments: 0,
      shares: 0,
      saves: 0,
      views: 0,
    });
    const published = async (group_by: string) => {
      const { groups, totals } = await analytics(world, { group_by });
      expect(totals.published).toBe(groups.reduce((sum: number, group: Json) => sum + group.published, 0));
      return groups.map((group: Json) => [
        group.day ?? group.post_id ?? group.account_id ?? group.platform,
        group.published,
      ]);
    };
    const byDay = [
      ['2026-01-15', 1],
      ['2026-01-16', 1],
    ];
    expect(await published('day')).toEqual(byDay);
    expect(await published('platform')).toEqual([['linkedin', 2]]);
    expect(await published('account')).toEqual([[world.account.id, 2]]);
    const bySecond = [
      [second.id, 1],
      [first.id, 1],
    ];
    const either = await published('post');
    expect(either).toHaveLength(2);
    expect(either).toEqual(expect.arrayContaining(bySecond));
    counter.counts.set(second.there, counted(9));
    await passHours(world, 2);
    expect(await published('day')).toEqual(byDay);
    expect(await published('post')).toEqual(bySecond);
    const later = await analytics(world, { from: '2026-01-17', to: '2026-01-18' });
    expect([later.totals.published, later.previous.totals.published]).toEqual([0, 2]);
    expect((await analytics(world, { platform: 'bluesky' })).totals.published).toBe(0);
    await call(world, 'delete_post', { post_id: first.id });
    await world.settle();
    expect(await published('day')).toEqual(byDay.slice(1));
  });

  it('shows a key of some brands the numbers of those alone', async ({ scene }) => {
    const { world, counter } = scene;
    const { there } = await publish(world, 'First');
    counter.counts.set(there, counted(2));
    await passHours(world, 2);
    const other = (await call(world, 'create_brand', { name: 'Other' })).body.id as string;
    const key = await world.newKey({ brand_ids: [other] });
    const { body } = await call(world, 'get_analytics', {}, { key });
    expect([body.totals.likes, body.freshness.targets]).toEqual([0, 0]);
    const brand_id = (await call(world, 'list_accounts')).body.data[0].brand_id as string;
    await expectRefusal(call(world, 'get_analytics', { brand_id }, { key }), 'brand.not_found');
    expect((await analytics(world, { brand_id })).totals.likes).toBe(2);
    expect((await analytics(world, { brand_id: other })).totals.likes).toBe(0);
    expect((await analytics(world, { account_ids: [world.account.id] })).totals.likes).toBe(2);
    expect((await analytics(world, { platform: 'bluesky' })).totals.likes).toBe(0);
  });

  it('waits longer after failures, and a day for an account that has to be connected again', async ({ scene }) => {
    const { world, counter } = scene;
    const { there } = await publish(world, 'First');
    counter.counts.set(there, counted(2));
    counter.error = new PlatformError('throttled', 'rate_limit', 'Slow down.', { status: 429, retryAfter: 5 * 3600 });
    await passHours(world, 5);
    expect(counter.asked).toHaveLength(1);
    counter.error = undefined;
    await passHours(world, 4);
    expect((await analytics(world)).totals.likes).toBe(2);
  });
});

describe.each(DOORS)('get_analytics through %s', (via) => {
  it('refuses days that are none, or too many', async ({ scene: { world } }) => {
    const ask = (input: object) => callThrough(world, via, 'get_analytics', { ...input });
    await expectInvalid(ask({ from: '2026-02-30' }), 'from');
    await expectInvalid(ask({ from: 'last month' }), 'from');
    await expectInvalid(ask({ from: '2026-01-02', to: '2026-01-01' }), 'from');
    await expectInvalid(ask({ from: '2024-01-01', to: '2026-01-01' }), 'from');
    await expectInvalid(ask({ group_by: 'week' }), 'group_by');
    await expectRefusal(ask({ account_ids: ['acc_none'] }), 'account.not_found');
    await expectRefusal(ask({ post_id: 'post_none' }), 'post.not_found');
    expect((await ask({ from: '2026-01-01', to: '2026-01-31' })).ok).toBe(true);
  });
});
