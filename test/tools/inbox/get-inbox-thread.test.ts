import { describe, expect, it } from 'vitest';
import type { InboundEvent } from '#platforms/inbound.ts';
import { dashboardToken, describeDashboardCallers } from '../../harness/calls/dashboard.ts';
import { call, expectInvalid, expectRefusal } from '../../harness/calls/operations.ts';
import { aComment, aMention, aReview } from '../../harness/platforms/social.ts';
import type { Json } from '../../harness/world.ts';
import { makeStage } from '../../harness/worlds/social.ts';

describeDashboardCallers('get_inbox_thread', { kind: 'post', thread_id: 'none', account_id: 'none' });

/** What others wrote to two accounts, and the items that wait for an answer. */
async function scene() {
  const stage = await makeStage();
  const { world, net, tell, connect, converse } = stage;
  const [twitter, google] = [await connect('twitter', 'one'), await connect('google', 'two')];
  const key = await dashboardToken(world);
  const at = (minute: number) => world.clock.now() - 3_600_000 + minute * 60_000;
  const below = (id: string, minute: number, parent_id?: string) =>
    aComment('post-1', { platform_id: id, text: `Words of ${id}`, created_at: at(minute), parent_id });
  const told = (comment: ReturnType<typeof below>): InboundEvent => ({ kind: 'comment', comment });
  await converse(twitter, { thread: 'a', at: at(1) });
  const comments = [below('c1', 2), below('c2', 3, 'c1'), below('c3', 4, 'c2'), below('other', 5)];
  await tell(twitter, comments.map(told));
  await tell(twitter, [{ kind: 'mention', mention: aMention({ platform_id: 'm', created_at: at(6) }) }]);
  const review = aReview(at(7), { platform_id: 'r' });
  net.reviews.set('two', [review]);
  await tell(google, [{ kind: 'review', review }]);
  const { data } = (await call(world, 'list_unanswered')).body as { data: Json[] };
  const item = (kind: string, text = '') => data.find((one) => one.kind === kind && one.text.includes(text))!;
  const read = ({ kind, id, account_id }: Json, more: object = {}) =>
    call(world, 'get_inbox_thread', { kind, thread_id: id, account_id, ...more }, { key });
  return { ...stage, net, twitter, google, item, read };
}

describe('get_inbox_thread', () => {
  it('shows each kind from the store, with what an answer may be, and asks no platform', async () => {
    const { net, item, read } = await scene();
    const before = net.calls.length;
    const conversation = (await read(item('conversation'))).body;
    expect(conversation).toMatchObject({ conversation: { participant_name: 'Fan' }, window: null, post: null });
    expect(conversation.text_rule).toMatchObject({ max: expect.any(Number), counting: 'chars' });
    expect(conversation.parts).toMatchObject({ quick_replies: expect.any(Number), buttons: expect.any(Array) });
    expect((await read(item('mention'))).body).toMatchObject({ mention: { answered: false }, blocked: null });
    expect((await read(item('review'))).body).toMatchObject({ review: { rating: 4, reply: null } });
    expect(net.calls.length).toBe(before);
  });

  it('shows a comment below what it answers and above its own answers, and no others', async () => {
    const { item, read } = await scene();
    const { body } = await read(item('comment', 'c2'));
    expect(body.comment).toMatchObject({ text: 'Words of c2', capabilities: { can_reply: true } });
    expect(body.comments.map(({ text }: Json) => text)).toEqual(['Words of c1', 'Words of c2', 'Words of c3']);
    expect(body.post).toMatchObject({ platform_id: 'post-1' });
    const post = (await read({ ...body.post, kind: 'post' })).body;
    expect([post.post, post.comments]).toEqual([body.post, undefined]);
  });

  it('shows the answer that a review has', async () => {
    const { world, google, item, read } = await scene();
    const review = item('review');
    await call(world, 'reply_to_review', { review_id: review.id, account_id: google.id, text: 'Thank you' });
    expect((await read(review)).body.review).toMatchObject({ answered: true, reply: { text: 'Thank you' } });
  });

  it('says why nothing can be sent', async () => {
    const { world, twitter, item, read } = await scene();
    const status = { status: 'reconnect_required' } as const;
    await world.product.store.write((tx) =>
      tx.db.updateTable('accounts').set(status).where('id', '=', twitter.id).execute(),
    );
    expect((await read(item('mention'))).body.blocked).toBe('account.reconnection_required');
  });

  it('refuses what is not there', async () => {
    const { twitter, google, item, read } = await scene();
    await expectRefusal(read(item('comment'), { account_id: 'none' }), 'account.not_found', { id: 'none' });
    await expectRefusal(read(item('conversation'), { thread_id: 'none' }), 'conversation.not_found', { id: 'none' });
    await expectRefusal(read(item('comment'), { account_id: google.id }), 'resource.not_found');
    await expectRefusal(read(item('conversation'), { account_id: google.id }), 'conversation.not_found');
    const none = { thread_id: 'none', account_id: twitter.id };
    await expectRefusal(read({ kind: 'post' }, none), 'post.not_found', { id: 'none' });
    for (const kind of ['comment', 'mention', 'review'])
      await expectRefusal(read({ kind }, none), 'resource.not_found', { resource: kind, id: 'none' });
    await expectInvalid(read({ kind: 'letter' }, none), 'kind');
  });
});
