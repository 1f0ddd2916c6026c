import { describe, expect, test } from 'vitest';
import { call, expectRefusal, onFreePlan } from '../../harness/calls/operations.ts';
import { inHours, postOf, setFault, withAccount } from '../../harness/worlds/posts.ts';

const it = test.extend('world', () => withAccount());

describe('publish_post', () => {
  it('publishes a draft, and a scheduled post that has paid already', async ({ world }) => {
    await onFreePlan(world);
    const draft = await postOf(world);
    const scheduled = await postOf(world, { text: 'Later', scheduled_at: inHours(world, 1) });
    for (const { id: post_id } of [draft, scheduled]) {
      const { status, body } = await call(world, 'publish_post', { post_id });
      expect([status, body.status]).toEqual([201, 'published']);
    }
    expect((await world.rest('GET /v1/usage')).body.posts_used).toBe(2);
  });

  it('refuses posts that are out, unknown ones, and those without targets or words', async ({ world }) => {
    const refused = (post_id: string, code: string, meta: object = {}) =>
      expectRefusal(call(world, 'publish_post', { post_id }), code, { ...meta });
    const { id } = await postOf(world, { publish_now: true });
    await refused(id, 'post.state_invalid', { status: 'published' });
    await refused('post_no', 'post.not_found');
    await refused((await postOf(world, { account_ids: [] })).id, 'validation.field_required', { field: 'targets' });
    await refused((await postOf(world, { text: '' })).id, 'validation.field_required', { field: 'text' });
  });

  it('refuses accounts that are gone or dead, and posts beyond the plan', async ({ world }) => {
    const [one, two] = [await postOf(world), await postOf(world)];
    const publish = (post_id: string) => call(world, 'publish_post', { post_id });
    setFault(world, 'revoked');
    const failed = await publish(one.id);
    expect([failed.code, failed.body.status]).toEqual(['post.publish_failed', 'failed']);
    await expectRefusal(publish(two.id), 'account.reconnection_required');
    await world.rest(`DELETE /v1/accounts/${world.account.id}`);
    await expectRefusal(publish(two.id), 'account.not_found');
    await onFreePlan(world);
    const again = await world.connect(0, world.brandId);
    for (let n = 0; n < 9; n += 1)
      await postOf(world, { text: `Post ${n}`, account_ids: [again.id], scheduled_at: inHours(world, 1) });
    const draft = await postOf(world, { account_ids: [again.id] });
    await expectRefusal(publish(draft.id), 'validation.post_limit_exhausted');
  });
});
