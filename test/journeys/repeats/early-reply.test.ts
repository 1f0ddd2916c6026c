import { expect } from 'vitest';
import { facebookOf } from '../../harness/platforms/facebook.ts';
import { it } from '../../harness/world.ts';

it('a reply to a post that is still being published says when to come back, and works then', async ({ world }) => {
  const facebook = facebookOf(world);
  const account = await facebook.connect();
  const other = await world.connect();
  // Publishing the draft fails twice; the third try waits for five seconds.
  await facebook.act('order', { method: 'POST post', when: 'before', status: 500, code: 1, times: 2 });
  const input = { text: 'Wait for me', account_ids: [account.id], publish_now: true };
  const { body: post } = await world.rest('POST /v1/posts', input);
  expect(post.status).toBe('publishing');
  const reply = (more = {}) => world.rest(`POST /v1/inbox/comments/${post.id}`, { text: 'First!', ...more });
  for (const more of [{}, { account_id: account.id }]) {
    const early = await reply(more);
    expect(early.status).toBe(409);
    expect(early.body.error).toMatchObject({ code: 'post.state_invalid', meta: { id: post.id, status: 'publishing' } });
    expect(early.headers.get('retry-after')).toBe('5');
  }
  const listed = await world.mcp('list_post_comments', { post_id: post.id });
  expect([listed.isError, listed.body.error.code]).toEqual([true, 'post.state_invalid']);
  // Of an account that it does not go to it is no post at all.
  expect((await reply({ account_id: other.id })).status).toBe(404);
  await world.pass(5000);
  const late = await reply();
  expect([late.status, late.body]).toMatchObject([200, { success: true }]);
});
