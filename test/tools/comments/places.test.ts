import { describe, expect, test } from 'vitest';
import { aComment } from '../../harness/platforms/social.ts';
import { call, expectInvalid, expectRequired } from '../../harness/calls/operations.ts';
import { makeStage } from '../../harness/worlds/social.ts';
import { publish } from './published.ts';

const it = test.extend('stage', () => makeStage());

describe('a post of ours in several places', () => {
  it('is the one where the comment stands, when no account is named', async ({ stage }) => {
    const { world, net, connect, tell } = stage;
    const [one, two] = [await connect('twitter', 'one'), await connect('threads', 'two')];
    const post_id = await publish(stage, [
      { account: one, post: 'post-1' },
      { account: two, post: 'post-2' },
    ]);
    const comment = aComment('post-2', { platform_id: 'c2' });
    net.comments.set('post-1', [aComment('post-1', { platform_id: 'c1' })]);
    net.comments.set('post-2', [comment]);
    const place = { post_id, comment_id: 'c2' };
    const reply = { ...place, text: 'Thank you' };
    // Nobody has told of the comment yet.
    await expectRequired(call(world, 'reply_to_comment', reply), 'account_id');
    await tell(two, [{ kind: 'comment', comment }]);
    expect(await call(world, 'reply_to_comment', reply)).toMatchObject({ ok: true, body: { success: true } });
    expect(net.seen).toMatchObject([{ account: 'two', ask: { post: 'post-2', comment: 'c2' } }]);
    for (const name of ['like_comment', 'hide_comment', 'get_comment_replies'])
      expect([name, (await call(world, name, { ...place })).ok]).toEqual([name, true]);
    expect(net.liked).toEqual(new Set(['c2']));
    const toAll = await call(world, 'reply_to_comment', { post_id, text: 'To all' });
    expect([toAll.code, toAll.meta]).toEqual(['validation.field_required', { field: 'account_id' }]);
    const { data } = (await call(world, 'list_accounts')).body;
    for (const { id, platform, username } of data)
      expect(toAll.body.error.message).toContain(`${id} (${platform} @${username})`);
  });

  it('is named by what stands on one page, when the account has it on two', async ({ stage }) => {
    const { world, net, connect, tell } = stage;
    const account = await connect('facebook', 'pages');
    const post_id = await publish(stage, [
      { account, post: 'post-1', page: 'p1' },
      { account, post: 'post-2', page: 'p2' },
    ]);
    const comment = aComment('post-2', { platform_id: 'c2', page_id: 'p2' });
    net.comments.set('post-1', []);
    net.comments.set('post-2', [comment]);
    await tell(account, [{ kind: 'comment', comment }]);
    const text = 'Thank you';
    for (const account_id of [undefined, account.id])
      await expectInvalid(call(world, 'reply_to_comment', { post_id, account_id, text }), 'post_id');
    expect((await call(world, 'reply_to_comment', { post_id, comment_id: 'c2', text })).ok).toBe(true);
    const [row] = (await call(world, 'list_inbox_posts', { page_id: 'p2' })).body.data;
    expect((await call(world, 'reply_to_comment', { post_id: row.id, text })).ok).toBe(true);
    expect(net.seen).toMatchObject([
      { ask: { post: 'post-2', page: 'p2', comment: 'c2' } },
      { ask: { post: 'post-2', page: 'p2' } },
    ]);
  });
});
