import { expect } from 'vitest';
import { facebookOf } from '../harness/platforms/facebook.ts';
import { it, type World } from '../harness/world.ts';

/** A key that may moderate comments, and nothing else, tries its hand at the posts themselves. */
async function tryAt(world: World, account: string, posts: readonly [string, string]) {
  const key = await world.newKey({ scopes: ['inbox:read', 'inbox:write'] });
  const tries = posts.flatMap<`${string} /${string}`>((comment) => {
    const path = `/v1/inbox/comments/${encodeURIComponent(posts[0])}/${encodeURIComponent(comment)}` as const;
    const query = `?account_id=${account}`;
    return [`DELETE ${path}${query}`, `POST ${path}/hide${query}`, `POST ${path}/like${query}`];
  });
  for (const call of tries) {
    const { status, body } = await world.rest(call, undefined, { key });
    expect([call, status, body.error?.code]).toEqual([call, 404, 'resource.not_found']);
  }
}

async function publish(world: World, account: string, text: string): Promise<string> {
  const { body } = await world.rest('POST /v1/posts', { text, account_ids: [account], publish_now: true });
  return body.results[0].platform_post_id as string;
}

it('moderating comments takes no post of facebook away', async ({ world }) => {
  const facebook = facebookOf(world);
  const { id } = await facebook.connect('sam.sandbox.test');
  const [page] = (await world.rest(`GET /v1/accounts/${id}/pages`)).body.data;
  const posts = [await publish(world, id, 'First'), await publish(world, id, 'Second')] as const;
  await tryAt(world, id, posts);
  // One that we know nothing of: written by the Page's own people.
  const own = await facebook.act('page_post', { page: page.platform_page_id, message: 'By hand' });
  await tryAt(world, id, [posts[0], own.id]);
  const left = await facebook.look('posts');
  expect(left.filter((post: { deleted_at?: number }) => post.deleted_at === undefined)).toHaveLength(3);
});

it('moderating comments takes no post of bluesky away', async ({ world, account: { id } }) => {
  await tryAt(world, id, [await publish(world, id, 'First'), await publish(world, id, 'Second')]);
  const posts = world.product.sandbox!.posts('bluesky', world.product.sandbox!.people()[0]!.id);
  expect(posts.filter(({ exists }) => exists)).toHaveLength(2);
});
