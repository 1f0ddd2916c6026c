import { describe, expect, test } from 'vitest';
import { call, expectRefusal } from '../../harness/calls/operations.ts';
import { postOf, withAccount } from '../../harness/worlds/posts.ts';

const it = test.extend('world', () => withAccount());

describe('get_post', () => {
  it('shows a post by its own id and by the platform’s', async ({ world }) => {
    const post = await postOf(world, { publish_now: true });
    const { body } = await call(world, 'get_post', { post_id: post.id });
    expect(body).toEqual(post);
    const byPlatform = await call(world, 'get_post', { post_id: post.targets[0].platform_post_id });
    expect(byPlatform.body).toEqual(post);
  });

  it('refuses what is not there, elsewhere, or several', async ({ world }) => {
    const [one, two] = [
      await postOf(world, { publish_now: true }),
      await postOf(world, { text: 'Other', publish_now: true }),
    ];
    await expectRefusal(call(world, 'get_post', { post_id: 'post_no' }), 'post.not_found', { id: 'post_no' });
    const { key } = await world.stranger();
    await expectRefusal(call(world, 'get_post', { post_id: one.id }, { key }), 'post.not_found');
    const platform_post_id = one.targets[0].platform_post_id;
    await world.product.store.write(({ db }) =>
      db.updateTable('targets').set({ platform_post_id }).where('post_id', '=', two.id).execute(),
    );
    await expectRefusal(call(world, 'get_post', { post_id: platform_post_id }), 'resource.conflict');
  });
});
