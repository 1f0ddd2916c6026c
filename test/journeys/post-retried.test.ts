import { expect } from 'vitest';
import { it } from '../harness/world.ts';

it('notifies receivers that the failed targets of a post are tried again, and how that ended', async ({ world }) => {
  const receiver = await world.receive(['post.failed', 'post.retried', 'post.published']);
  const account = await world.connect();
  const tooLong = { text: 'x'.repeat(400), account_ids: [account.id], publish_now: true, skip_validation: true };
  const failed = await world.rest('POST /v1/posts', tooLong);
  expect(failed.status).toBe(422);

  await world.rest(`PATCH /v1/posts/${failed.body.id}`, { text: 'short enough' });
  const retried = await world.rest(`POST /v1/posts/${failed.body.id}/retry`);
  expect(retried.body).toMatchObject({ success: true, retried_count: 1 });
  await world.settle();

  const told = receiver.received.map(({ body: { event, data } }) => [event, data['post_id'], data['retried_count']]);
  expect(told).toContainEqual(['post.retried', failed.body.id, 1]);
  expect(told.map(([event]) => String(event)).toSorted()).toEqual(['post.failed', 'post.published', 'post.retried']);
});
