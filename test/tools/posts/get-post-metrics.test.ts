import { describe, expect, test } from 'vitest';
import { call, expectRefusal } from '../../harness/calls/operations.ts';
import { byToken } from '../../harness/platforms/fake.ts';
import { makePostNetwork, publishingPlatform } from '../../harness/platforms/publishing.ts';
import { makeWorld } from '../../harness/world.ts';
import type { Platform } from '#platforms/platform.ts';
import type { MeasuredPost } from '#platforms/posts.ts';
import { postOf, setFault, withAccount } from '../../harness/worlds/post-stage.ts';

const it = test.extend('world', () => withAccount());

describe('get_post_metrics', () => {
  it('reads them from the platform, and from the store for five minutes', async ({ world }) => {
    const { id: post_id } = await postOf(world, { publish_now: true });
    const read = async () => (await call(world, 'get_post_metrics', { post_id })).body.data;
    const reads = () => world.product.sandbox!.requests().filter(({ method }) => method.includes('getPosts')).length;
    const data = await read();
    expect(data).toMatchObject({ post_id, targets: [{ metrics: { likes: 0, comments: 0, shares: 0, saves: 0 } }] });
    expect(data.targets).toEqual(data.results);
    const before = reads();
    world.clock.move(299_999);
    await read();
    expect(reads()).toBe(before);
    world.clock.move(1);
    await read();
    expect(reads()).toBe(before + 1);
  });

  it('names the page of a post to its connector, and what the connector kept of it', async () => {
    const net = makePostNetwork();
    const { posts, ...rest } = publishingPlatform(net, 'linkedin', { offline: true });
    const asked: (readonly MeasuredPost[])[] = [];
    const pages = [{ platform_page_id: 'urn:7', name: 'Seven' }];
    const platform: Platform = {
      ...rest,
      pages: { read: async ({ session }) => ({ pages, session }) },
      connect: { ...byToken, login: async (...login) => ({ ...(await byToken.login(...login)), pages }) },
      posts: {
        ...posts!,
        publish: {
          ...posts!.publish,
          finish: (done, hosts) => ({ ...posts!.publish.finish(done, hosts), metadata: { version: 2 } }),
        },
        metrics: (call, measured) => {
          asked.push(measured);
          return posts!.metrics!(call, measured);
        },
      },
    };
    const world = await makeWorld({ surroundings: { platforms: new Map([['linkedin', platform]]) } });
    const connected = await world.rest('POST /v1/accounts/connect', { platform: 'linkedin', metadata: { token: 't' } });
    const account = { id: connected.body.account_id };
    const { id: post_id, targets } = await postOf({ ...world, account }, { publish_now: true });
    const { data } = (await call(world, 'get_post_metrics', { post_id })).body;
    expect(data.targets).toMatchObject([{ metrics: { likes: 1, comments: 2, shares: 3, saves: 4 } }]);
    expect(asked).toMatchObject([[{ id: targets[0].platform_post_id, page_id: 'urn:7', metadata: { version: 2 } }]]);
  });

  it('has nothing to say of a draft, and refuses when no target can be read', async ({ world }) => {
    const draft = await postOf(world);
    expect((await call(world, 'get_post_metrics', { post_id: draft.id })).body.data.targets).toEqual([]);
    await expectRefusal(call(world, 'get_post_metrics', { post_id: 'post_no' }), 'post.not_found');
    const { id: post_id } = await postOf(world, { publish_now: true });
    setFault(world, 'revoked');
    await expectRefusal(call(world, 'get_post_metrics', { post_id }), 'platform.bluesky.auth');
    await expectRefusal(call(world, 'get_post_metrics', { post_id }), 'account.reconnection_required');
    await world.rest(`DELETE /v1/accounts/${world.account.id}`);
    await expectRefusal(call(world, 'get_post_metrics', { post_id }), 'account.not_found');
  });
});
