import { MINUTE } from '#kernel/clock.ts';
import { expect } from 'vitest';
import { facebookOf } from '../harness/platforms/facebook.ts';
import { list, postNow } from '../harness/calls/rest.ts';
import { it, type Json } from '../harness/world.ts';

/** Graph fails after it has done what it was asked for; and before. */
const AFTER = { when: 'after', status: 500, code: 1 };
const BEFORE = { ...AFTER, when: 'before' };

it('a post is published while nobody knows of its first comment, whose outcome is its own', async ({ world }) => {
  const facebook = facebookOf(world);
  const receiver = await world.receive(['post.published', 'post.failed', 'post.partial']);
  const account = await facebook.connect();
  for (const [when, settled] of [
    [AFTER, 'published'],
    [BEFORE, 'failed'],
  ] as const) {
    await facebook.act('order', { ...when, method: 'POST post/comments' });
    const first_comment = `Comment that is ${settled}`;
    const input = { text: `Post whose comment is ${settled}`, account_ids: [account.id], first_comment };
    const { status, body: post } = await world.rest('POST /v1/posts', { ...input, publish_now: true });
    expect([status, post.status]).toEqual([201, 'published']);
    const published = { error: null, permalink: expect.any(String), published_at: post.published_at };
    expect(post.results).toMatchObject([{ ...published, metadata: { first_comment_status: 'pending' } }]);
    await world.settle();
    const told = receiver.received.map(({ body }) => body).filter(({ data }) => (data as Json).post_id === post.id);
    expect(told.map(({ event }) => event)).toEqual(['post.published']);
    const logs = await list(world, `/v1/posts/logs?post_id=${post.id}`);
    expect(logs).toMatchObject([{ status: 'success' }]);
    for (let minute = 0; minute < 30; minute += 1) await world.pass(MINUTE);
    const { metadata } = (await postNow(world, post.id)).results[0];
    const comments = (await facebook.look('comments')).filter(({ message }: Json) => message === first_comment);
    expect(metadata).toMatchObject(
      settled === 'published'
        ? { first_comment_status: settled, first_comment_id: comments[0].id }
        : { first_comment_status: settled, first_comment_error: expect.stringMatching(/^It may be public/) },
    );
    expect(comments).toHaveLength(settled === 'published' ? 1 : 0);
    expect(receiver.received.filter(({ body }) => (body.data as Json).post_id === post.id)).toHaveLength(1);
  }
});
