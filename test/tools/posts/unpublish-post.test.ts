import { describe, expect, test } from 'vitest';
import { call, expectRefusal } from '../../harness/calls/operations.ts';
import { postOf, secondAccount, setFault, withAccount } from '../../harness/worlds/posts.ts';

const it = test.extend('world', () => withAccount());

describe('unpublish_post', () => {
  it('takes a post down from some of its targets, and removes it with the last one', async ({ world }) => {
    const second = await secondAccount(world);
    const { id: post_id } = await postOf(world, { account_ids: [world.account.id, second.id], publish_now: true });
    const { body } = await call(world, 'unpublish_post', { post_id, account_id: second.id });
    expect(body).toMatchObject({ success: true, unpublished_count: 1, results: [{ outcome: 'deleted' }] });
    const left = (await call(world, 'get_post', { post_id })).body;
    expect(left.status).toBe('published');
    expect(left.targets.map((target: { status: string }) => target.status)).toEqual(['published', 'unpublished']);
    expect((await call(world, 'unpublish_post', { post_id })).body).toMatchObject({ unpublished_count: 1 });
    await expectRefusal(call(world, 'get_post', { post_id }), 'post.not_found');
  });

  it('refuses what is not published, accounts it does not go to, and dead accounts', async ({ world }) => {
    const refused = (input: object, code: string) => expectRefusal(call(world, 'unpublish_post', { ...input }), code);
    await refused({ post_id: 'post_no' }, 'post.not_found');
    await refused({ post_id: (await postOf(world)).id }, 'post.state_invalid');
    const { id: post_id } = await postOf(world, { publish_now: true });
    await refused({ post_id, account_ids: ['acc_no'] }, 'account.not_found');
    setFault(world, 'revoked');
    await refused({ post_id }, 'platform.bluesky.auth');
    await refused({ post_id }, 'account.reconnection_required');
  });
});
