import { describe, expect, test } from 'vitest';
import { aComment, blind, blocked, lost, noSuchThing, silent } from '../../harness/platforms/social.ts';
import {
  call,
  expectInvalid,
  expectRefusal,
  expectRequired,
  onFreePlan,
  useInteractions,
} from '../../harness/calls/operations.ts';
import { endSession } from '../../harness/worlds/account.ts';
import { expectLacking, letTimePass, makeStage } from '../../harness/worlds/social.ts';

const it = test.extend('played', () => scene());

/** A post with one comment that was pushed. */
async function scene(platform: 'twitter' | 'threads' | 'facebook' | 'zalo' = 'twitter') {
  const stage = await makeStage();
  const account = await stage.connect(platform);
  const page_id = platform === 'facebook' ? 'p2' : undefined;
  const comment = aComment('post-1', { platform_id: 'c1', page_id });
  stage.net.comments.set('post-1', [comment]);
  await stage.tell(account, [{ kind: 'comment', comment }]);
  return { ...stage, account };
}

const TOGGLES = ['delete_comment', 'hide_comment', 'unhide_comment', 'like_comment', 'unlike_comment'] as const;

describe('comments', () => {
  it('reply_to_comment answers a comment, or a post, and stores what it said', async () => {
    const { world, net, account } = await scene();
    const receiver = await world.receive(['comment.received']);
    const answer = { post_id: 'post-1', comment_id: 'c1', text: ' Thanks ' };
    const { status, body } = await call(world, 'reply_to_comment', answer);
    expect([status, body]).toEqual([200, { success: true, comment_id: expect.stringMatching(/^cmt_/) }]);
    const top = await call(world, 'reply_to_comment', { post_id: 'post-1', text: 'All', account_id: account.id });
    expect(net.seen.map(({ ask }) => ask)).toEqual([
      { post: 'post-1', page: undefined, comment: 'c1', text: 'Thanks' },
      { post: 'post-1', page: undefined, comment: undefined, text: 'All' },
    ]);
    const stored = await world.product.store.db
      .selectFrom('comments')
      .selectAll()
      .where('is_owner', '=', 1)
      .orderBy('platform_id')
      .execute();
    expect(stored.map(({ text, parent_id, author }) => [text, parent_id, author.name])).toEqual([
      ['Thanks', 'c1', 'The ours'],
      ['All', null, 'The ours'],
    ]);
    // The id works wherever an id of a comment does.
    net.comments.get('post-1')!.push(aComment('post-1', { platform_id: net.seen[1]!.id, is_owner: true }));
    const own = { post_id: 'post-1', comment_id: top.body.comment_id };
    expect((await call(world, 'like_comment', own)).ok).toBe(true);
    expect((await call(world, 'get_usage')).body.interactions_used).toBe(2);
    await world.settle();
    expect(receiver.received).toEqual([]);
  });

  it('reply_to_comment refuses what cannot be said, and what cannot be found', async () => {
    const { world, net, account, connect } = await scene();
    const reply = (input: object) => call(world, 'reply_to_comment', { post_id: 'post-1', text: 'Hi', ...input });
    await expectRequired(reply({ text: '  ' }), 'text');
    await expectInvalid(reply({ text: 'x'.repeat(101) }), 'text');
    await expectRefusal(reply({ post_id: 'post-9' }), 'post.not_found', { id: 'post-9' });
    await expectRefusal(reply({ account_id: 'acc_none' }), 'account.not_found', { id: 'acc_none' });
    const other = await connect('twitter', 'other');
    await expectInvalid(reply({ account_id: other.id }), 'account_id');
    await expectRefusal(reply({ comment_id: 'c9' }), 'resource.not_found', { resource: 'comment', id: 'c9' });
    net.script('ours', 'comments.reply', noSuchThing, noSuchThing, blocked);
    await expectRefusal(reply({ comment_id: 'c1' }), 'resource.not_found', { resource: 'comment', id: 'c1' });
    await expectRefusal(reply({}), 'post.not_found', { resource: 'post', id: 'post-1' });
    await expectRefusal(reply({}), 'platform.twitter.blocked');
    const { body } = await call(world, 'list_post_comments', { post_id: 'post-1' });
    const foreign = Buffer.from('facebook:c1').toString('base64url');
    await expectRefusal(reply({ comment_id: `cmt_${foreign}` }), 'resource.not_found', { resource: 'comment' });
    expect([body.count, net.seen, (await call(world, 'get_usage')).body.interactions_used]).toEqual([1, [], 0]);
    await endSession(world, account.id);
    await expectRefusal(reply({}), 'account.reconnection_required', { id: account.id });
    const poor = await scene('zalo');
    const lacking = call(poor.world, 'reply_to_comment', { post_id: 'post-1', text: 'Hi' });
    await expectLacking(lacking, 'comments.reply', 'zalo');
  });

  it('reply_to_comment says it once, whatever becomes of the answer', async ({ played: { world, net } }) => {
    net.script('ours', 'comments.reply', lost);
    net.script('ours', 'comments.reply.settle', blind, blind, blind);
    const reply = () => call(world, 'reply_to_comment', { post_id: 'post-1', comment_id: 'c1', text: 'Hi' });
    const { code, status, meta } = await letTimePass(world, reply());
    expect([code, status, meta]).toEqual(['platform.twitter.api_error', 502, { id: expect.stringMatching(/^snd_/) }]);
    expect((await reply()).body).toMatchObject({ success: true });
    expect([net.seen.length, (await call(world, 'get_usage')).body.interactions_used]).toEqual([1, 1]);
    const again = await scene('threads');
    again.net.script('ours', 'comments.reply', lost);
    const input = { post_id: 'post-1', text: 'Hi' };
    expect((await call(again.world, 'reply_to_comment', input)).ok).toBe(true);
    expect([again.net.seen.length, again.net.callsOf('comments.reply')]).toEqual([1, 2]);
  });

  it('reply_to_comment is metered', async ({ played: { world } }) => {
    await onFreePlan(world);
    await useInteractions(world, 49);
    const reply = (text: string) => call(world, 'reply_to_comment', { post_id: 'post-1', text });
    expect((await reply('a')).ok).toBe(true);
    await expectRefusal(reply('b'), 'validation.interaction_limit_exhausted', { plan: 'free', max: 50 });
    const like = { post_id: 'post-1', comment_id: 'c1' };
    for (const name of TOGGLES.toReversed()) expect((await call(world, name, like)).ok).toBe(true);
  });

  it('reply_to_comment acts as the page of the post', async () => {
    const { world, net, account } = await scene('facebook');
    const reply = (text: string) => call(world, 'reply_to_comment', { post_id: 'post-1', text });
    expect((await reply('a')).ok).toBe(true);
    expect(net.seen[0]!.ask).toMatchObject({ page: 'p2' });
    const off = { account_id: account.id, is_active: false };
    await call(world, 'update_account_page', { ...off, page_id: 'p2' });
    await expectRefusal(reply('b'), 'account.page_inactive');
    const elsewhere = { post_id: 'post-2', text: 'b', account_id: account.id };
    const nowhere = { ...elsewhere, post_id: 'post-3' };
    expect((await call(world, 'reply_to_comment', elsewhere)).ok).toBe(true);
    expect(net.seen[1]!.ask).toMatchObject({ page: 'p1' });
    await call(world, 'update_account_page', { ...off, page_id: 'p1' });
    await expectRefusal(call(world, 'reply_to_comment', nowhere), 'account.no_active_page');
  });

  it('private_reply_to_comment writes to who commented', async ({ played: { world, net } }) => {
    const receiver = await world.receive(['dm.sent', 'dm.status.sent']);
    const input = { post_id: 'post-1', comment_id: 'c1', text: 'Hello' };
    const { body } = await call(world, 'private_reply_to_comment', input);
    const [{ id }] = net.seen as unknown as [{ id: string }];
    expect(body).toEqual({ success: true, ok: true, id: expect.stringMatching(/^cmt_/), message_id: id });
    const { data } = (await call(world, 'list_conversations')).body;
    expect(data).toMatchObject([{ platform_id: 'thread-c1', last_message: 'Hello', unread_count: 0 }]);
    await world.settle();
    expect(receiver.events()).toEqual(['dm.sent', 'dm.status.sent']);
    expect((await call(world, 'get_usage')).body.interactions_used).toBe(1);
    net.script('ours', 'comments.private_reply', noSuchThing);
    for (const comment_id of ['c9', 'c1']) {
      const none = call(world, 'private_reply_to_comment', { ...input, comment_id, text: 'Hi' });
      await expectRefusal(none, 'resource.not_found', { resource: 'comment', id: comment_id });
    }
    expect(net.callsOf('comments.private_reply')).toBe(2);
    await expectInvalid(call(world, 'private_reply_to_comment', { ...input, text: 'x'.repeat(1001) }), 'text');
    const poor = await scene('zalo');
    await expectLacking(call(poor.world, 'private_reply_to_comment', input), 'comments.private_reply', 'zalo');
  });

  it('delete_comment, hide_comment, unhide_comment, like_comment and unlike_comment change it on the platform', async () => {
    const { world, net, account } = await scene();
    const ref = { post_id: 'post-1', comment_id: 'c1' };
    const act = async (name: string, input: object = {}) => {
      const { status, body } = await call(world, name, { ...ref, ...input });
      const done = { success: true, ok: true, id: expect.stringMatching(/^cmt_/) };
      expect([name, status, body]).toEqual([name, 200, done]);
      return body.id as string;
    };
    const stored = () =>
      world.product.store.db
        .selectFrom('comments')
        .select(['is_hidden', 'is_liked', 'gone_at'])
        .executeTakeFirstOrThrow();
    const id = await act('hide_comment');
    expect([[...net.hidden], await stored()]).toMatchObject([['c1'], { is_hidden: 1 }]);
    await act('unhide_comment', { comment_id: id });
    expect([[...net.hidden], await stored()]).toMatchObject([[], { is_hidden: 0 }]);
    await act('like_comment', { account_id: account.id });
    expect([[...net.liked], await stored()]).toMatchObject([['c1'], { is_liked: 1 }]);
    await act('unlike_comment');
    expect([[...net.liked], await stored()]).toMatchObject([[], { is_liked: 0 }]);
    await act('delete_comment');
    expect((await stored()).gone_at).not.toBeNull();
    expect((await call(world, 'list_post_comments', { post_id: 'post-1' })).body.count).toBe(0);
    await act('delete_comment');
  });

  it('they refuse what is not there, what the platform refuses, and what it cannot', async () => {
    const { world, net, account, connect } = await scene();
    const other = await connect('twitter', 'other');
    const poor = await scene('zalo');
    for (const name of TOGGLES) {
      const operation = `comments.${name === 'delete_comment' ? 'remove' : name.replaceAll(/^un|_comment$/g, '')}`;
      const ask = (input: object = {}) => call(world, name, { post_id: 'post-1', comment_id: 'c1', ...input });
      net.script('ours', operation, silent);
      await expectRefusal(ask(), 'platform.twitter.api_error');
      await expectRefusal(ask({ comment_id: 'c9' }), 'resource.not_found', { resource: 'comment', id: 'c9' });
      await expectRefusal(ask({ post_id: 'post-9' }), 'post.not_found', { id: 'post-9' });
      await expectInvalid(ask({ account_id: other.id }), 'account_id');
      await expectRefusal(ask({ account_id: 'acc_none' }), 'account.not_found');
      await expectLacking(call(poor.world, name, { post_id: 'post-1', comment_id: 'c1' }), operation, 'zalo');
    }
    await endSession(world, account.id);
    for (const name of TOGGLES) {
      const dead = call(world, name, { post_id: 'post-1', comment_id: 'c1' });
      await expectRefusal(dead, 'account.reconnection_required', { id: account.id });
    }
  });
});
