import { describe, expect, test } from 'vitest';
import { call, expectRefusal, onFreePlan } from '../../harness/calls/operations.ts';
import { inHours, postOf, setFault, withAccount } from '../../harness/worlds/posts.ts';

const it = test.extend('world', () => withAccount());

describe('retry_post', () => {
  it('publishes what failed, and tells so', async ({ world }) => {
    const receiver = await world.receive(['post.retried', 'post.published']);
    setFault(world, 'revoked');
    const { id: post_id } = await postOf(world, { publish_now: true });
    await expectRefusal(call(world, 'retry_post', { post_id }), 'post.no_retryable_deliveries');
    await world.connect();
    const { status, body } = await call(world, 'retry_post', { post_id });
    expect([status, body.success, body.retried_count, body.retry_count]).toEqual([200, true, 1, 1]);
    await world.settle();
    expect((await call(world, 'get_post', { post_id })).body.status).toBe('published');
    expect(receiver.received.map(({ body: { event } }) => event).toSorted()).toEqual([
      'post.published',
      'post.retried',
    ]);
  });

  it('refuses posts of which nothing failed, unknown ones, and retries beyond the plan', async ({ world }) => {
    const refused = (post_id: string, code: string) => expectRefusal(call(world, 'retry_post', { post_id }), code);
    await refused('post_no', 'post.not_found');
    await refused((await postOf(world)).id, 'post.no_retryable_deliveries');
    await refused((await postOf(world, { publish_now: true })).id, 'post.state_invalid');
    setFault(world, 'revoked');
    const failed = await postOf(world, { text: 'Other', publish_now: true });
    await world.connect();
    await onFreePlan(world);
    for (let n = 0; n < 8; n += 1) await postOf(world, { text: `Post ${n}`, scheduled_at: inHours(world, 1) });
    await refused(failed.id, 'validation.post_limit_exhausted');
  });
});
