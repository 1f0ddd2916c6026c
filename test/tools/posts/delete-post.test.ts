import { describe, expect, test } from 'vitest';
import { call, expectRefusal } from '../../harness/calls/operations.ts';
import { postOf, withAccount } from '../../harness/worlds/posts.ts';

const it = test.extend('world', () => withAccount());

describe('delete_post', () => {
  it('removes the post, here and on its platform', async ({ world }) => {
    const { id: post_id } = await postOf(world, { publish_now: true });
    const { body } = await call(world, 'delete_post', { post_id });
    expect(body).toEqual({
      success: true,
      ok: true,
      id: post_id,
      deleted: true,
      results: [{ platform: 'bluesky', account_id: world.account.id, outcome: 'deleted', message: null }],
    });
    const person = world.product.sandbox!.people()[0]!.id;
    expect(world.product.sandbox!.posts('bluesky', person)).toMatchObject([{ exists: false }]);
    await expectRefusal(call(world, 'delete_post', { post_id }), 'post.not_found', { id: post_id });
  });

  it('removes the targets of one platform, and the post with its last target', async ({ world }) => {
    const { id: post_id } = await postOf(world);
    const asked = (platform: string) => call(world, 'delete_post', { post_id, platform });
    await expectRefusal(asked('facebook'), 'validation.field_invalid', { field: 'platform' });
    expect((await asked('bluesky')).body).toMatchObject({ deleted: true });
  });

  it('refuses a platform that is being published to', async ({ world }) => {
    const { id: post_id } = await postOf(world, { account_ids: [world.account.id], text: 'Hello' });
    const second = { post_id: `${post_id}-2`, workspace_id: world.workspaceId };
    await world.product.store.write(async ({ db }) => {
      const [target] = await db.selectFrom('targets').selectAll().where('post_id', '=', post_id).execute();
      const lease = {
        lease_token: 'held',
        lease_until: world.clock.now() + 90_000,
        due_at: world.clock.now() + 90_000,
      };
      await db.updateTable('posts').set({ status: 'publishing' }).where('id', '=', post_id).execute();
      await db
        .updateTable('targets')
        .set({ status: 'publishing', ...lease })
        .where('id', '=', target!.id)
        .execute();
      const other = {
        ...target!,
        ...second,
        post_id,
        id: `${target!.id}-2`,
        platform: 'facebook' as const,
        position: 1,
      };
      await db
        .insertInto('targets')
        .values({ ...other, status: 'published' })
        .execute();
    });
    await expectRefusal(call(world, 'delete_post', { post_id, platform: 'bluesky' }), 'post.state_invalid');
  });
});
