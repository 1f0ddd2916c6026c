import { afterAll, beforeAll, expect, it } from 'vitest';
import { bluesky } from '#platforms/bluesky/index.ts';
import type { AccountCall } from '#platforms/call.ts';
import { openWorld, png, type World } from '../../harness/worlds/twins/bluesky.ts';
import { makeClient, publishAll, type Client } from '../../harness/worlds/bluesky.ts';
import { postOf } from '../../harness/platforms/steps.ts';
import { measured } from '../../harness/platforms/fake.ts';
import { opened } from '../../harness/opened.ts';

/** The connector against the simulator, written by different hands from the same contract: each checks the other. */
let world: World;
let client: Client;
beforeAll(async () => {
  world = await openWorld();
  const hosts = bluesky.hosts.sandbox({ api: world.base, web: world.base });
  client = makeClient(hosts, () => world.clock.now(), [world.root]);
});
afterAll(async () => {
  await client.close();
  await world.close();
});

async function connected(): Promise<AccountCall> {
  const { credentials } = world.sandbox.people()[0]!;
  if (bluesky.connect.kind !== 'direct') throw new Error('not a direct connection');
  const fields = { identifier: 'alice.sandbox.test', app_password: credentials['app_password']! };
  const { session, profile, expiresAt } = await bluesky.connect.login(client.bare, fields);
  expect(profile).toMatchObject({ username: 'alice.sandbox.test' });
  expect(expiresAt).toBe(world.clock.now() + 7_200_000);
  return client.acting(session);
}

it('connects, publishes a thread once, counts it, lists it, deletes it and logs out', async () => {
  if (bluesky.connect.kind !== 'direct') throw new Error('not a direct connection');
  const acting = await connected();
  const post = postOf({
    text: 'Grüße an @bob.sandbox.test #hallo https://example.com',
    media: [{ ref: 'one', kind: 'image' }],
    segments: [{ text: 'second', media: [] }],
    first_comment: 'comment',
  });
  const media = { one: opened(png(), 'image/png', { width: 1, height: 1 }) };
  const { done, repeats } = await publishAll(acting, post, media, { idempotent: 2 });
  expect(repeats['write.1']![0]).toEqual(repeats['write.1']![1]);
  const published = bluesky.posts!.publish.finish(done, client.bare.hosts);
  expect((await fetch(published.permalink!)).status).toBe(200);

  const { posts } = await bluesky.posts!.list!(acting, { limit: 25 });
  expect(posts[0]).toMatchObject({ platform_post_id: published.platform_post_id, media: [{ type: 'image' }] });
  const counts = await bluesky.posts!.metrics!(acting, measured([published.platform_post_id]));
  expect(counts.get(published.platform_post_id)).toMatchObject({ likes: 0, comments: expect.any(Number) });

  await bluesky.posts!.remove!(acting, published.platform_post_id, published.metadata!);
  await bluesky.posts!.remove!(acting, published.platform_post_id, published.metadata!);
  const left = await bluesky.posts!.list!(acting, { limit: 25 });
  expect(left.posts.map(({ platform_post_id }) => platform_post_id)).not.toContain(published.platform_post_id);

  const renewed = await bluesky.connect.refresh!(acting);
  await bluesky.connect.revoke!(client.acting(renewed.session));
  await expect(bluesky.connect.refresh!(client.acting(renewed.session))).rejects.toMatchObject({ reason: 'auth' });
});

it('takes the largest image that the rules allow', async () => {
  const most = bluesky.posts!.rules.media.max_image_size_bytes;
  const bytes = Buffer.concat([png(), Buffer.alloc(most - png().length)]);
  const post = postOf({ text: '', media: [{ ref: 'one', kind: 'image' }] });
  const { done } = await publishAll(await connected(), post, { one: opened(bytes, 'image/png') });
  expect(done['write.0']).toMatchObject({ cid: expect.stringMatching(/^bafyrei/) });
});
