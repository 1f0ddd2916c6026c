import { MINUTE, HOUR } from '#kernel/clock.ts';
import { describe, expect } from 'vitest';
import { facebookOf } from '../../harness/platforms/facebook.ts';
import { it, type World } from '../../harness/world.ts';
import { uploaded } from '../media/samples.ts';
import { callsOf, upset } from '../../harness/platforms/bluesky-people.ts';
import { call, expectInvalid, expectRefusal } from '../../harness/calls/operations.ts';
import {
  disguise,
  from,
  make,
  makeFailed,
  makePartial,
  makePublished,
  publicTexts,
  publish,
  whileWriting,
} from '../../harness/worlds/post-stage.ts';

const DELETE = 'com.atproto.repo.deleteRecord';

/** What can be asked about a post that is there. */
const ASKS = ['get_post', 'delete_post', 'publish_post', 'retry_post', 'unpublish_post', 'get_post_metrics'];

const postNow = async (world: World, post_id: string) => (await call(world, 'get_post', { post_id })).body;

/** How the takedowns of a post ended, as its log says. */
async function takedownsOf(world: World, post_id: string): Promise<readonly string[]> {
  const { data } = (await call(world, 'list_post_logs', { post_id, action: 'unpublish' })).body;
  return data.map((entry: { status: string }) => entry.status).toSorted();
}

describe('delete_post', () => {
  it('takes drafts, scheduled and failed posts away, asking no platform', async ({ world }) => {
    const receiver = await world.receive(['post.deleted', 'post.failed']);
    const failed = await makeFailed(world);
    const bob = await world.connect(1);
    const scheduled = await make(world, { text: 'a', account_ids: [bob.id], scheduled_at: from(world, HOUR) });
    const draft = await make(world, { text: 'a' });
    for (const { id, targets } of [draft, scheduled, failed]) {
      const { status, body } = await call(world, 'delete_post', { post_id: id });
      const results = targets.map(({ account_id }: { account_id: string }) => ({
        platform: 'bluesky',
        account_id,
        outcome: 'skipped',
        message: 'It was never public.',
      }));
      expect([status, body]).toEqual([200, { success: true, ok: true, id, deleted: true, results, remaining: [] }]);
      for (const name of ASKS)
        await expectRefusal(call(world, name, { post_id: id }), 'post.not_found', { resource: 'post', id });
    }
    await world.pass(2 * HOUR);
    expect([callsOf(world, DELETE), publicTexts(world, 1)]).toEqual([0, []]);
    const told = receiver.received.map(({ body }) => [body.event, body.data['post_id'], body.data['was_status']]);
    expect(told).toEqual([
      ['post.failed', failed.id, undefined],
      ['post.deleted', draft.id, 'draft'],
      ['post.deleted', scheduled.id, 'scheduled'],
      ['post.deleted', failed.id, 'failed'],
    ]);
  });

  it('removes a post whatever becomes of its targets, and says what did', async ({ world }) => {
    const people = [await world.connect(0), await world.connect(1), await world.connect(2)];
    const account_ids = people.map(({ id }) => id as string);
    const { id: post_id, targets } = await make(world, { text: 'News', account_ids, publish_now: true });
    const permalinks = targets.map(({ permalink }: { permalink: string }) => permalink);
    expect(permalinks).toEqual(account_ids.map(() => expect.stringMatching(/^https?:/)));
    await disguise(world, account_ids[1]!);
    await world.rest(`DELETE /v1/accounts/${account_ids[2]}`);
    const { status, body } = await call(world, 'delete_post', { post_id });
    expect([status, body.deleted]).toEqual([200, true]);
    expect(body.results).toEqual([
      { platform: 'bluesky', account_id: account_ids[0], outcome: 'deleted', message: null },
      { platform: 'whatsapp', account_id: account_ids[1], outcome: 'not_supported', message: expect.any(String) },
      { platform: 'bluesky', account_id: account_ids[2], outcome: 'failed', message: expect.any(String) },
    ]);
    expect(body.remaining).toEqual([
      { platform: 'whatsapp', account_id: account_ids[1], permalink: permalinks[1] },
      { platform: 'bluesky', account_id: account_ids[2], permalink: permalinks[2] },
    ]);
    await expectRefusal(call(world, 'get_post', { post_id }), 'post.not_found');
    expect([0, 1, 2].map((person) => publicTexts(world, person))).toEqual([[], ['News'], ['News']]);
    expect(await takedownsOf(world, post_id)).toEqual(['failed', 'skipped', 'success']);
    // The post is gone; its log still says where the copies are.
    const { data } = (await call(world, 'list_post_logs', { post_id, action: 'unpublish' })).body;
    for (const [n, left] of [1, 2].entries()) {
      const entry = data.find(({ account_id }: { account_id: string }) => account_id === account_ids[left]);
      expect([n, entry.error_message]).toEqual([n, `${body.results[left].message} It stays at ${permalinks[left]}`]);
    }
  });

  it('takes the targets of one platform, leaving the others', async ({ world, pair: [alice, bob] }) => {
    const receiver = await world.receive(['post.deleted', 'post.unpublished']);
    const { id: post_id } = await make(world, { text: 'a', account_ids: [alice.id, bob.id], publish_now: true });
    await disguise(world, bob.id);
    const { body } = await call(world, 'delete_post', { post_id, platform: 'bluesky' });
    const results = [{ account_id: alice.id, outcome: 'deleted' }];
    expect(body).toMatchObject({ success: true, deleted: false, id: post_id, results, remaining: [] });
    expect((await postNow(world, post_id)).status).toBe('published');
    await world.settle();
    expect(receiver.events()).toEqual(['post.unpublished']);
    for (const platform of ['facebook', 'myspace'])
      await expectInvalid(call(world, 'delete_post', { post_id, platform }), 'platform');
    const last = (await call(world, 'delete_post', { post_id, platform: 'whatsapp' })).body;
    expect(last).toMatchObject({ deleted: true, remaining: [{ platform: 'whatsapp', account_id: bob.id }] });
    await expectRefusal(call(world, 'get_post', { post_id }), 'post.not_found');
  });

  it('removes a post in flight at once, and what comes of it later', async ({ world, account }) => {
    const receiver = await world.receive(['post.deleted', 'post.published']);
    const { id: post_id } = await make(world, { text: 'Slow', account_ids: [account.id] });
    const { work } = await whileWriting(world, () => call(world, 'publish_post', { post_id }));
    const { status, body } = await call(world, 'delete_post', { post_id });
    expect([status, body]).toMatchObject([200, { deleted: true, results: [{ account_id: account.id }] }]);
    await expectRefusal(call(world, 'get_post', { post_id }), 'post.not_found');
    world.clock.move(20_000);
    await work;
    for (const minutes of [2, 2, 5]) await world.pass(minutes * MINUTE);
    expect(publicTexts(world)).toEqual([]);
    expect(receiver.events()).toEqual(['post.deleted']);
  });
});

/** A story on facebook, which nobody can take down. */
async function makeStory(world: World) {
  const account = await facebookOf(world).connect();
  const platform_data = { facebook: { media_type: 'stories' } };
  const { id, status } = await publish(world, account, '', { media_ids: [await uploaded(world)], platform_data });
  expect(status).toBe('published');
  return { post_id: id as string, account_id: account.id as string };
}

describe('a kind of post that its platform keeps', () => {
  it('is said to be, and only then deleted here', async ({ world }) => {
    const { post_id, account_id } = await makeStory(world);
    const kept = call(world, 'unpublish_post', { post_id });
    await expectRefusal(kept, 'resource.not_supported', { resource: 'posts.remove', platform: 'facebook' });
    expect((await postNow(world, post_id)).status).toBe('published');
    const { body } = await call(world, 'delete_post', { post_id });
    const message = expect.stringContaining('story');
    const results = [{ platform: 'facebook', account_id, outcome: 'not_supported', message }];
    expect(body).toMatchObject({ deleted: true, results });
    await expectRefusal(call(world, 'get_post', { post_id }), 'post.not_found');
    expect(await takedownsOf(world, post_id)).toEqual(['skipped', 'skipped']);
  });
});

describe('unpublish_post', () => {
  it('takes all of a post down, and removes it', async ({ world }) => {
    const receiver = await world.receive(['post.unpublished', 'post.deleted']);
    const { id: post_id, targets } = await makePublished(world);
    const [{ account_id, brand_id }] = targets;
    const { status, body } = await call(world, 'unpublish_post', { post_id });
    const results = [{ platform: 'bluesky', account_id, outcome: 'deleted', message: null }];
    expect([status, body]).toEqual([200, { success: true, ok: true, id: post_id, unpublished_count: 1, results }]);
    expect(publicTexts(world)).toEqual([]);
    await expectRefusal(call(world, 'unpublish_post', { post_id }), 'post.not_found', { id: post_id });
    await world.settle();
    expect(receiver.received.map(({ body: told }) => told)).toMatchObject([
      { event: 'post.unpublished', data: { post_id, account_id: null, unpublished_count: 1, brand_id } },
    ]);
  });

  it('takes down what it is asked to, and leaves what only failed as failed', async ({ world }) => {
    const receiver = await world.receive(['post.unpublished']);
    const { id: post_id, targets } = await makePartial(world);
    const [alice, bob] = targets;
    const failed = call(world, 'unpublish_post', { post_id, account_ids: [bob.account_id] });
    await expectRefusal(failed, 'post.state_invalid', { id: post_id });
    const { body } = await call(world, 'unpublish_post', { post_id, account_ids: [alice.account_id] });
    const deleted = { account_id: alice.account_id, outcome: 'deleted' };
    expect(body).toMatchObject({ unpublished_count: 1, results: [deleted] });
    const results = [{ status: 'unpublished' }, { status: 'failed' }];
    expect(await postNow(world, post_id)).toMatchObject({ status: 'failed', results });
    await world.settle();
    expect(receiver.received).toHaveLength(1);
  });

  it('refuses a list of nobody', async ({ world }) => {
    const { id: post_id } = await makePublished(world);
    await expectInvalid(call(world, 'unpublish_post', { post_id, account_ids: [] }), 'account_ids');
    expect((await postNow(world, post_id)).status).toBe('published');
  });

  it('emits an event for each account while others stay', async ({ world }) => {
    const receiver = await world.receive(['post.unpublished']);
    const [alice, bob, carol] = [await world.connect(0), await world.connect(1), await world.connect(2)];
    const account_ids = [alice.id, bob.id, carol.id];
    const { id: post_id } = await make(world, { text: 'a', account_ids, publish_now: true });
    const two = await call(world, 'unpublish_post', { post_id, account_ids: [alice.id, bob.id] });
    expect(two.body.unpublished_count).toBe(2);
    expect((await call(world, 'unpublish_post', { post_id })).body.unpublished_count).toBe(1);
    await world.settle();
    const told = receiver.received.map(({ body: { data } }) => [data['account_id'], data['unpublished_count']]);
    expect(new Set(told)).toEqual(new Set([alice.id, bob.id, null].map((id) => [id, 1])));
  });

  it('answers 501 when no asked target can be removed, and 200 when one can', async ({ world, pair: [alice, bob] }) => {
    const { id: post_id } = await make(world, { text: 'a', account_ids: [alice.id, bob.id], publish_now: true });
    await disguise(world, bob.id);
    const { status, code, meta } = await call(world, 'unpublish_post', { post_id, account_id: bob.id });
    const lacking = { resource: 'posts.remove', platform: 'whatsapp' };
    expect([status, code, meta]).toEqual([501, 'resource.not_supported', lacking]);
    const results = [{ outcome: 'deleted' }, { outcome: 'not_supported' }];
    const some = await call(world, 'unpublish_post', { post_id });
    expect(some).toMatchObject({ status: 200, body: { unpublished_count: 1, results } });
    expect((await postNow(world, post_id)).status).toBe('published');
  });

  it('refuses targets that are none, states with nothing out, and accounts that are gone', async ({ world }) => {
    const published = await makePublished(world);
    const bob = await world.connect(1);
    const other = call(world, 'unpublish_post', { post_id: published.id, account_id: bob.id });
    await expectRefusal(other, 'account.not_found', { resource: 'account', id: bob.id });
    const draft = await make(world, { text: 'a' });
    const scheduled = await make(world, { text: 'a', account_ids: [bob.id], scheduled_at: from(world, HOUR) });
    upset(world, 'revoked', {}, 1);
    const failed = await publish(world, bob, 'b');
    for (const { id, status } of [draft, scheduled, failed]) {
      const answer = await call(world, 'unpublish_post', { post_id: id });
      expect([answer.status, answer.code, answer.meta]).toEqual([409, 'post.state_invalid', { id, status }]);
    }
    const [{ account_id }] = published.targets;
    await world.rest(`DELETE /v1/accounts/${account_id}`);
    const gone = call(world, 'unpublish_post', { post_id: published.id });
    await expectRefusal(gone, 'account.not_found', { resource: 'account', id: account_id });
    expect((await postNow(world, published.id)).status).toBe('published');
  });

  it('hands on the refusal of the platform, and stays published', async ({ world }) => {
    const { id: post_id } = await makePublished(world);
    upset(world, 'throttled', { method: DELETE, times: 9 });
    const answer = await call(world, 'unpublish_post', { post_id });
    expect([answer.status, answer.code]).toEqual([429, 'platform.bluesky.rate_limit']);
    expect((await postNow(world, post_id)).status).toBe('published');
    expect(publicTexts(world)).toEqual(['News']);
  });
});
