import { MINUTE, HOUR } from '#kernel/clock.ts';
import { describe, expect } from 'vitest';
import { it, makeWorld } from '../../harness/world.ts';
import { upset } from '../../harness/platforms/bluesky-people.ts';
import { call, expectInvalid, expectRefusal, expectRequired } from '../../harness/calls/operations.ts';
import { uploaded } from '../media/samples.ts';
import {
  from,
  make,
  makeFailed,
  makePartial,
  makePublished,
  publicTexts,
  publish,
  reconnect,
  whileWriting,
} from '../../harness/worlds/post-stage.ts';

describe('update_post', () => {
  it('says what to do instead with a post that is out', async ({ world }) => {
    for (const { id: post_id } of [await makePublished(world), await makePartial(world)]) {
      const { code, body } = await call(world, 'update_post', { post_id, text: 'Better' });
      expect(code).toBe('post.state_invalid');
      expect(body.error.message).toMatch(/with unpublish_post, and create it again with create_post\.$/);
    }
  });

  it('changes nothing that was changed after it was read, where that is asked', async ({ world }) => {
    const { id: post_id, updated_at: read } = await make(world, { text: 'Before' });
    world.clock.move(MINUTE);
    const first = await call(world, 'update_post', { post_id, text: 'First', if_updated_at: read });
    expect(first.body).toMatchObject({ text: 'First' });
    const late = call(world, 'update_post', { post_id, text: 'Late', if_updated_at: read });
    await expectRefusal(late, 'resource.conflict', { id: post_id, updated_at: first.body.updated_at });
    expect((await call(world, 'get_post', { post_id })).body.text).toBe('First');
  });

  it('is not the only one that refuses so: publish_post publishes what was read', async ({ world, account }) => {
    const { id: post_id, updated_at: read } = await make(world, { text: 'Before', account_ids: [account.id] });
    world.clock.move(MINUTE);
    const { updated_at } = (await call(world, 'update_post', { post_id, text: 'After' })).body;
    const late = call(world, 'publish_post', { post_id, if_updated_at: read });
    await expectRefusal(late, 'resource.conflict', { id: post_id, updated_at });
    expect((await call(world, 'publish_post', { post_id, if_updated_at: updated_at })).body.status).toBe('published');
  });

  it('replaces what is named, clears what is null, and reports which fields changed', async ({ world, pair }) => {
    const [alice, bob] = pair;
    const receiver = await world.receive(['post.updated', 'post.scheduled']);
    const before = {
      text: 'Before',
      title: 'Title',
      first_comment: 'First',
      visibility: 'private',
      platform_data: { bluesky: { langs: ['en'] } },
      segments: [{ text: 'More' }],
      media_ids: [await uploaded(world)],
    };
    const { id: post_id } = await make(world, { ...before, account_ids: [alice.id] });
    world.clock.move(MINUTE);
    const update = async (input: object) => (await call(world, 'update_post', { post_id, ...input })).body;
    const after = { text: 'After', segments: [{ text: 'One' }, { text: 'Two' }] };
    expect(await update({ ...after, account_ids: [bob.id] })).toMatchObject({
      ...before,
      ...after,
      targets: [{ account_id: bob.id, status: 'pending' }],
      status: 'draft',
      updated_at: from(world, 0),
    });
    const nothing = { text: null, title: null, first_comment: null, media_ids: null, segments: null };
    const cleared = await update({ ...nothing, visibility: null, platform_data: null, targets: null });
    expect(cleared).toMatchObject({
      ...nothing,
      media_ids: [],
      media: [],
      segments: [],
      visibility: 'public',
      platform_data: {},
      targets: [],
    });
    expect(await update({ text: null })).toEqual(cleared);
    expect((await call(world, 'get_post', { post_id })).body).toEqual(cleared);
    await world.settle();
    const told = receiver.received.map(({ body: { event, data } }) => [
      event,
      data['status'],
      (data['changed_fields'] as string[]).toSorted(),
    ]);
    const all = ['first_comment', 'media', 'platform_data', 'segments', 'targets', 'text', 'title', 'visibility'];
    expect(told).toEqual([
      ['post.updated', 'draft', ['segments', 'targets', 'text']],
      ['post.updated', 'draft', all],
    ]);
  });

  it('schedules a draft, moves it in time, and takes the time away again', async ({ world, account }) => {
    const receiver = await world.receive(['post.updated', 'post.scheduled']);
    const { id: post_id } = await make(world, { text: 'a', account_ids: [account.id] });
    const states: unknown[] = [];
    for (const scheduled_at of [from(world, HOUR), from(world, 2 * HOUR), null]) {
      const { status, body } = await call(world, 'update_post', { post_id, scheduled_at });
      expect([status, body.scheduled_at]).toEqual([200, scheduled_at]);
      states.push([body.status, body.targets[0].status]);
    }
    const scheduled = ['scheduled', 'scheduled'];
    expect(states).toEqual([scheduled, scheduled, ['draft', 'pending']]);
    await world.pass(3 * HOUR);
    expect(publicTexts(world)).toEqual([]);
    expect(receiver.received.map(({ body }) => [body.event, body.data['status']])).toEqual([
      ['post.updated', 'scheduled'],
      ['post.updated', 'scheduled'],
      ['post.updated', 'draft'],
    ]);
    const { data } = (await call(world, 'list_post_logs', { post_id })).body;
    expect(data).toMatchObject([{ action: 'cancel', status: 'success' }]);
  });

  it('edits a failed post, and hides one in any state without an event', async ({ world }) => {
    const receiver = await world.receive(['post.updated']);
    const { id: post_id } = await makeFailed(world);
    const edited = (await call(world, 'update_post', { post_id, text: 'Better' })).body;
    expect(edited).toMatchObject({ status: 'failed', text: 'Better', results: [{ status: 'failed' }] });
    const timed = { post_id, scheduled_at: from(world, HOUR) };
    await expectRefusal(call(world, 'update_post', timed), 'post.state_invalid', { id: post_id, status: 'failed' });
    await world.settle();
    expect(receiver.received).toHaveLength(1);
    const hidden = (await call(world, 'update_post', { post_id, hidden: true })).body;
    expect(hidden).toEqual({ ...edited, hidden: true });
    const bob = await world.connect(1);
    const { id: published } = await publish(world, bob, 'Out');
    const shown = await call(world, 'update_post', { post_id: published, hidden: true });
    expect(shown.body).toMatchObject({ status: 'published', hidden: true });
    await world.settle();
    expect(receiver.received).toHaveLength(1);
  });

  it('edits what posts say whose accounts are gone, and names the account to whoever wants to publish them', async () => {
    const world = await makeWorld();
    const failed = await makeFailed(world);
    await reconnect(world, failed.targets[0]);
    const account_ids = [failed.targets[0].account_id as string];
    const draft = await make(world, { text: 'a', account_ids });
    const scheduled = await make(world, { text: 'b', account_ids, scheduled_at: from(world, HOUR) });
    await world.rest(`DELETE /v1/accounts/${account_ids[0]}`);
    const gone = { resource: 'account', id: account_ids[0] };
    for (const { id: post_id, status } of [draft, scheduled, failed]) {
      const edited = await call(world, 'update_post', { post_id, text: 'Better' });
      expect(edited.body).toMatchObject({ status, text: 'Better', targets: [{ account_id: account_ids[0] }] });
      if (status !== 'draft') await expectRequired(call(world, 'update_post', { post_id, text: null }), 'text');
      if (status === 'failed') continue;
      const later = call(world, 'update_post', { post_id, scheduled_at: from(world, 2 * HOUR) });
      await expectRefusal(later, 'account.not_found', gone);
      await expectRefusal(call(world, 'publish_post', { post_id }), 'account.not_found', gone);
    }
  });

  it.for(['published', 'partial'])('refuses to edit a %s post', async (state, { world }) => {
    const { id: post_id, status, text } = await (state === 'published' ? makePublished(world) : makePartial(world));
    expect(status).toBe(state);
    for (const input of [{ text: 'b' }, { targets: [] }, { scheduled_at: null }, { text: 'b', hidden: true }]) {
      const answer = await call(world, 'update_post', { post_id, ...input });
      expect([answer.status, answer.code, answer.meta]).toEqual([409, 'post.state_invalid', { id: post_id, status }]);
    }
    expect((await call(world, 'get_post', { post_id })).body).toMatchObject({ text, hidden: false });
  });

  it('refuses to schedule what cannot go out', async ({ world, account }) => {
    const scheduled_at = from(world, HOUR);
    const bare = await make(world, { text: 'a' });
    const empty = await make(world, { account_ids: [account.id] });
    const schedule = ({ id }: { id: string }) => call(world, 'update_post', { post_id: id, scheduled_at });
    await expectRequired(schedule(bare), 'targets');
    await expectRequired(schedule(empty), 'text');
    const draft = await make(world, { text: 'a', account_ids: [account.id] });
    upset(world, 'revoked');
    await publish(world, account, 'b');
    await expectRefusal(schedule(draft), 'account.reconnection_required', { id: account.id });
    const past = { post_id: draft.id, scheduled_at: from(world, -MINUTE - 1) };
    await expectInvalid(call(world, 'update_post', past), 'scheduled_at');
  });
});

describe('publish_post', () => {
  it('answers 201 with the post, its scheduled time kept', async ({ world, account }) => {
    const receiver = await world.receive(['post.published']);
    const scheduled_at = from(world, HOUR);
    const { id: post_id } = await make(world, { text: 'Now', account_ids: [account.id], scheduled_at });
    const published = { id: post_id, scheduled_at, published_at: from(world, 0), results: [{ status: 'published' }] };
    const answer = await call(world, 'publish_post', { post_id });
    expect(answer).toMatchObject({ status: 201, body: { status: 'published', ...published } });
    await world.pass(2 * HOUR);
    expect([publicTexts(world), receiver.received.length]).toEqual([['Now'], 1]);
  });

  it('answers 207 when some targets failed, and 422 when all did', async ({ world, pair: [alice, bob] }) => {
    const half = await make(world, { text: 'Half', account_ids: [alice.id, bob.id] });
    const none = await make(world, { text: 'None', account_ids: [alice.id] });
    upset(world, 'revoked', {}, 1);
    const partial = await call(world, 'publish_post', { post_id: half.id });
    const results = [{ status: 'published' }, { status: 'failed', error_code: 'platform.bluesky.auth' }];
    expect(partial).toMatchObject({ ok: true, status: 207, body: { status: 'partial', results } });
    upset(world, 'revoked');
    const failed = await call(world, 'publish_post', { post_id: none.id });
    const never = { id: none.id, status: 'failed', results: [{ status: 'failed' }] };
    const error = { code: 'post.publish_failed' };
    expect(failed).toMatchObject({ ok: false, status: 422, body: { ...never, error } });
    for (const { id, status } of [partial.body, failed.body])
      await expectRefusal(call(world, 'publish_post', { post_id: id }), 'post.state_invalid', { id, status });
  });

  it('answers 201 with a publishing post after 20 seconds', async ({ world, account }) => {
    const { id: post_id } = await make(world, { text: 'Slow', account_ids: [account.id] });
    const { work } = await whileWriting(world, () => call(world, 'publish_post', { post_id }));
    for (const [name, input, code] of [
      ['publish_post', {}, 'post.state_invalid'],
      ['update_post', { text: 'b' }, 'post.state_invalid'],
      ['unpublish_post', {}, 'post.state_invalid'],
      ['retry_post', {}, 'post.no_retryable_deliveries'],
    ] as const)
      await expectRefusal(call(world, name, { post_id, ...input }), code, { id: post_id, status: 'publishing' });
    world.clock.move(20_000);
    const { status, body } = await work;
    expect([status, body.status, body.results[0].status]).toEqual([201, 'publishing', 'publishing']);
    await world.pass(2 * MINUTE);
    expect((await call(world, 'get_post', { post_id })).body.status).toBe('published');
    expect(publicTexts(world)).toEqual(['Slow']);
  });
});

describe('retry_post', () => {
  it('publishes only what failed, answers at once, and counts', async ({ world }) => {
    const receiver = await world.receive(['post.retried', 'post.published', 'post.partial']);
    const { id: post_id, targets } = await makePartial(world);
    await world.settle();
    await reconnect(world, targets[1], 1);
    const begun = { success: true, id: post_id, status: 'publishing', retried_count: 1, retry_count: 1 };
    const waiting = { status: 'publishing', error: null };
    expect(await call(world, 'retry_post', { post_id })).toMatchObject({
      status: 200,
      body: { ...begun, results: [{ status: 'published', attempts: 1 }, waiting] },
    });
    await world.settle();
    expect((await call(world, 'get_post', { post_id })).body).toMatchObject({
      status: 'published',
      retry_count: 1,
      results: [{ attempts: 1 }, { attempts: 2, error: null, error_code: null }],
    });
    expect([publicTexts(world, 0), publicTexts(world, 1)]).toEqual([['Half'], ['Half']]);
    expect(receiver.events()).toEqual(['post.partial', 'post.retried', 'post.published']);
    expect(receiver.received[1]!.body.data).toMatchObject({ post_id, retried_count: 1 });
    await expectRefusal(call(world, 'retry_post', { post_id }), 'post.state_invalid', { status: 'published' });
  });

  it('publishes a failed post to the accounts it was given since, when those it had are gone', async ({ world }) => {
    const { id: post_id, targets } = await makeFailed(world);
    const gone = targets[0].account_id as string;
    await world.rest(`DELETE /v1/accounts/${gone}`);
    const refused = await call(world, 'retry_post', { post_id });
    const message = `The account ${gone} was removed. Use other accounts in targets with update_post.`;
    expect([refused.code, refused.body.error.message]).toEqual(['post.no_retryable_deliveries', message]);
    const bob = await world.connect(1);
    const replaced = await call(world, 'update_post', { post_id, account_ids: [bob.id] });
    expect(replaced.body).toMatchObject({ status: 'failed', targets: [{ account_id: bob.id, status: 'pending' }] });
    expect((await call(world, 'retry_post', { post_id })).body).toMatchObject({ retried_count: 1 });
    await world.settle();
    expect((await call(world, 'get_post', { post_id })).body.status).toBe('published');
    expect(publicTexts(world, 1)).toEqual(['Never']);
  });

  it('has nothing to retry of drafts, scheduled posts, and those whose accounts are dead or gone', async () => {
    const world = await makeWorld();
    const failed = await makeFailed(world);
    const draft = await make(world, { text: 'a', account_ids: [] });
    const bob = await world.connect(1);
    const scheduled = await make(world, { text: 'a', account_ids: [bob.id], scheduled_at: from(world, HOUR) });
    const refused = async ({ id, status }: { id: string; status: string }) => {
      const answer = await call(world, 'retry_post', { post_id: id, confirm_not_published: true });
      expect([answer.status, answer.code, answer.meta]).toEqual([400, 'post.no_retryable_deliveries', { id, status }]);
    };
    for (const post of [failed, draft, scheduled]) await refused(post);
    await world.rest(`DELETE /v1/accounts/${failed.targets[0].account_id}`);
    await refused(failed);
  });
});
