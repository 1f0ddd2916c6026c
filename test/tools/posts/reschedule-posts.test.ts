import { HOUR, DAY } from '#kernel/clock.ts';
import { describe, expect } from 'vitest';
import { call, callThrough, DOORS, expectInvalid, expectRequired, onFreePlan } from '../../harness/calls/operations.ts';
import { it, type Json, type World } from '../../harness/world.ts';
import { from, make, makePublished, publicTexts, secondAccount } from '../../harness/worlds/post-stage.ts';

const MONDAY = 3 * DAY;

async function scheduled(world: World, account: { id: string }, text: string): Promise<Json> {
  return make(world, { text, account_ids: [account.id], scheduled_at: from(world, HOUR) });
}

const stateOf = async (world: World, post_id: string) => {
  const { body } = await call(world, 'get_post', { post_id });
  return [body.status, body.scheduled_at, body.targets[0].status];
};

describe.each(DOORS)('reschedule_posts through %s', (via) => {
  it('moves posts in time, each with its event, and says which had that time already', async ({ world, account }) => {
    const receiver = await world.receive(['post.updated']);
    const [one, two] = [await scheduled(world, account, 'One'), await scheduled(world, account, 'Two')];
    const draft = await make(world, { text: 'Three', account_ids: [account.id] });
    const times = [from(world, MONDAY), two.scheduled_at as string, from(world, MONDAY + HOUR)];
    const posts = [one, two, draft].map(({ id }, at) => ({ post_id: id, scheduled_at: times[at] }));
    const { body } = await callThrough(world, via, 'reschedule_posts', { posts });
    expect(body).toEqual({
      dry_run: false,
      rescheduled: 3,
      failed: 0,
      results: posts.map((post) => ({ ...post, success: true })),
    });
    for (const { post_id, scheduled_at } of posts)
      expect(await stateOf(world, post_id)).toEqual(['scheduled', scheduled_at, 'scheduled']);
    await world.settle();
    const told = receiver.received.map(({ body: { data } }) => [data['post_id'], data['changed_fields']]);
    expect(told).toEqual([one, draft].map(({ id }) => [id, ['scheduled_at']]));
    await world.pass(2 * HOUR);
    expect(publicTexts(world)).toEqual(['Two']);
    await world.pass(MONDAY);
    expect(publicTexts(world).toSorted()).toEqual(['One', 'Three', 'Two']);
  });

  it('refuses what an edit would, and moves the others', async ({ world, account }) => {
    const one = await scheduled(world, account, 'One');
    const published = await makePublished(world);
    const empty = await make(world, { text: 'Nowhere' });
    const past = await scheduled(world, account, 'Late');
    const scheduled_at = from(world, MONDAY);
    const posts = [
      { post_id: published.id, scheduled_at },
      { post_id: 'post_none', scheduled_at },
      { post_id: empty.id, scheduled_at },
      { post_id: past.id, scheduled_at: from(world, -HOUR) },
      { post_id: one.id, scheduled_at },
    ];
    for (const dry_run of [true, false]) {
      const { body } = await callThrough(world, via, 'reschedule_posts', { posts, dry_run });
      expect(body).toMatchObject({ dry_run, rescheduled: 1, failed: 4 });
      expect(body.results.map(({ error, success }: Json) => error?.code ?? success)).toEqual([
        'post.state_invalid',
        'post.not_found',
        'validation.field_required',
        'validation.field_invalid',
        true,
      ]);
      expect(body.results[0].error.message).toMatch(/with unpublish_post, and create it again with create_post\.$/);
      expect((await stateOf(world, one.id))[1]).toBe(dry_run ? one.scheduled_at : scheduled_at);
    }
  });

  it('moves targets with a time of their own as far as their post', async ({ world, account }) => {
    const other = await secondAccount(world);
    const receiver = await world.receive(['post.updated']);
    const targets = [{ account_id: account.id }, { account_id: other.id, scheduled_at: from(world, 3 * HOUR) }];
    const both = await make(world, { text: 'Both', targets, scheduled_at: from(world, HOUR) });
    // Without a time of its own, a post begins with its first target.
    const apart = await make(world, { text: 'Apart', targets: targets.slice(1) });
    const taken = await make(world, { text: 'Taken back', targets: targets.slice(1) });
    await call(world, 'update_post', { post_id: taken.id, scheduled_at: null });
    await world.settle();
    const before = receiver.received.length;
    const monday = from(world, MONDAY);
    const posts = [both, apart, taken].map(({ id }) => ({ post_id: id, scheduled_at: monday }));
    const moved = (after: number) => [{ account_id: other.id, scheduled_at: from(world, MONDAY + after) }];
    const own = () => [moved(2 * HOUR), moved(0), moved(0)];
    const expected = {
      dry_run: true,
      results: posts.map((post, at) => ({ ...post, success: true, targets: own()[at] })),
    };
    const dry = (await callThrough(world, via, 'reschedule_posts', { posts, dry_run: true })).body;
    expect(dry).toMatchObject(expected);
    const timesOf = async (id: string) =>
      (await call(world, 'get_post', { post_id: id })).body.targets.at(-1).scheduled_at;
    expect(await timesOf(both.id)).toBe(targets[1]!.scheduled_at);
    // A repeat finds them moved, and moves none again.
    for (const _ of [1, 2]) {
      const { body } = await callThrough(world, via, 'reschedule_posts', { posts });
      expect(body).toEqual({ ...dry, dry_run: false });
    }
    expect(await timesOf(both.id)).toBe(from(world, MONDAY + 2 * HOUR));
    await world.settle();
    const told = receiver.received.slice(before).map(({ body: { data } }) => data['changed_fields']);
    expect(told).toEqual([1, 2, 3].map(() => ['targets', 'scheduled_at']));
    await world.pass(MONDAY + HOUR);
    expect([publicTexts(world), publicTexts(world, 1).toSorted()]).toEqual([['Both'], ['Apart', 'Taken back']]);
    await world.pass(HOUR);
    expect(publicTexts(world, 1)).toContain('Both');
  });

  it('refuses to move a target into the past with its post', async ({ world, account }) => {
    const targets = [{ account_id: account.id, scheduled_at: from(world, HOUR) }];
    const early = await make(world, { text: 'Early', targets, scheduled_at: from(world, 3 * HOUR) });
    const posts = [{ post_id: early.id, scheduled_at: from(world, HOUR) }];
    for (const dry_run of [true, false]) {
      const { body } = await callThrough(world, via, 'reschedule_posts', { posts, dry_run });
      expect(body.results).toMatchObject([{ success: false, error: { code: 'validation.field_invalid' } }]);
      expect(body.results[0].error.message).toContain(`The time ${from(world, -HOUR)} (scheduled_at) is in the past.`);
    }
    expect((await stateOf(world, early.id))[1]).toBe(early.scheduled_at);
  });

  it('finds out by a dry run what would become of each, and changes nothing', async ({ world, account }) => {
    await onFreePlan(world);
    const receiver = await world.receive(['post.updated']);
    const texts = Array.from({ length: 12 }, (_, n) => `Draft ${n}`);
    const drafts: Json[] = [];
    for (const text of texts) drafts.push(await make(world, { text, account_ids: [account.id] }));
    const posts = drafts.map(({ id }) => ({ post_id: id, scheduled_at: from(world, MONDAY) }));
    const dry = (await callThrough(world, via, 'reschedule_posts', { posts, dry_run: true })).body;
    // The plan has ten posts a month.
    expect(dry).toMatchObject({ dry_run: true, rescheduled: 10, failed: 2 });
    expect(dry.results[10].error.code).toBe('validation.post_limit_exhausted');
    for (const { post_id } of posts) expect(await stateOf(world, post_id)).toEqual(['draft', null, 'pending']);
    expect((await call(world, 'get_usage')).body.posts_used).toBe(0);
    await world.settle();
    expect(receiver.received).toEqual([]);
    const real = (await callThrough(world, via, 'reschedule_posts', { posts })).body;
    expect(real).toEqual({ ...dry, dry_run: false });
    expect((await call(world, 'get_usage')).body.posts_used).toBe(10);
  });

  it('takes up to 100 posts, each once', async ({ shared: world }) => {
    const scheduled_at = from(world, HOUR);
    const post = (n: number) => ({ post_id: `post_${n}`, scheduled_at });
    const ask = (posts?: readonly object[]) => callThrough(world, via, 'reschedule_posts', posts ? { posts } : {});
    await expectRequired(ask(), 'posts');
    await expectInvalid(ask([]), 'posts');
    await expectInvalid(ask([post(1), post(1)]), 'posts');
    await expectInvalid(ask(Array.from({ length: 101 }, (_, n) => post(n))), 'posts');
    await expectRequired(ask([{ post_id: 'post_1' }]), 'posts.0.scheduled_at');
    await expectInvalid(ask([{ post_id: 'post_1', scheduled_at: 'Monday' }]), 'posts.0.scheduled_at');
  });
});

it('reschedule_posts is answered again under its Idempotency-Key', async ({ world, account }) => {
  const { id } = await scheduled(world, account, 'One');
  const body = { posts: [{ post_id: id, scheduled_at: from(world, MONDAY) }] };
  const send = () => world.rest('POST /v1/posts/reschedule', body, { headers: { 'Idempotency-Key': 'monday' } });
  const first = await send();
  await call(world, 'update_post', { post_id: id, scheduled_at: from(world, HOUR) });
  const again = await send();
  expect([again.headers.get('idempotency-replayed'), again.body]).toEqual(['true', first.body]);
  expect((await stateOf(world, id))[1]).toBe(from(world, HOUR));
});

it('reschedule_posts reads times without an offset in the timezone of the workspace', async ({ world, account }) => {
  const { id } = await scheduled(world, account, 'One');
  await call(world, 'patch_me', { timezone: 'Europe/Berlin' });
  const posts = [{ post_id: id, scheduled_at: '2026-02-02T09:00' }];
  // Over MCP they are refused.
  const { body } = await world.rest('POST /v1/posts/reschedule', { posts });
  expect(body.results).toMatchObject([{ success: true, scheduled_at: '2026-02-02T08:00:00.000Z' }]);
});
