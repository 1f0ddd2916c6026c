import { describe, expect } from 'vitest';
import type { ListedPost } from '#platforms/posts.ts';
import { facebookOf } from '../../harness/platforms/facebook.ts';
import { it, type World, type Json } from '../../harness/world.ts';
import { call } from '../../harness/calls/operations.ts';
import { uploaded } from '../media/samples.ts';
import { personOf } from '../../harness/platforms/bluesky-people.ts';
import { accountWorld } from '../../harness/worlds/account.ts';

/** The cooldown of a sync. */
const REST_MS = 300_000;

async function sync(world: World, account_id: string): Promise<void> {
  expect(await call(world, 'sync_account', { account_id })).toMatchObject({ ok: true, body: {} });
}

/** The only targets of all posts, by the text of the post. */
async function targetsOf(world: World): Promise<Record<string, Json>> {
  const { data } = (await call(world, 'list_posts')).body;
  return Object.fromEntries(data.map(({ text, targets: [target] }: Json) => [text, target]));
}

const at = (world: World) => new Date(world.clock.now()).toISOString();

describe('sync_account, once more,', () => {
  it('counts what happened to posts on facebook, and shows their media there', async ({ world }) => {
    const facebook = facebookOf(world);
    const { id } = await facebook.connect();
    const media_id = await uploaded(world);
    const post = { text: 'mine', account_ids: [id], media_ids: [media_id], publish_now: true };
    const { results } = (await call(world, 'create_post', post)).body;
    const [page] = (await call(world, 'list_account_pages', { account_id: id })).body.data;
    await facebook.act('page_post', { page: page.platform_page_id, message: 'foreign' });
    expect(results).toMatchObject([{ status: 'published', metrics: null, platform_media: null }]);

    await sync(world, id);
    const before = await targetsOf(world);
    const picture = { type: 'image', url: expect.stringContaining('http') };
    expect(before).toMatchObject({
      mine: { metrics: { likes: 0, comments: 0 }, platform_media: [picture] },
      foreign: { metrics: { likes: 0, comments: 0 }, platform_media: [] },
    });

    const [mine, foreign] = [before['mine'].platform_post_id, before['foreign'].platform_post_id];
    for (const on of [mine, foreign]) await facebook.act('react', { person: 'fred.sandbox.test', on, type: 'LIKE' });
    await facebook.act('comment', { person: 'fred.sandbox.test', on: mine, message: 'Nice' });
    world.clock.move(REST_MS);
    await sync(world, id);
    const metrics_synced_at = at(world);
    expect(await targetsOf(world)).toMatchObject({
      mine: { metrics: { likes: 1, comments: 1 }, metrics_synced_at, platform_media: [picture] },
      foreign: { metrics: { likes: 1, comments: 0 }, metrics_synced_at },
    });
    expect((await call(world, 'get_post', { post_id: mine })).body).toMatchObject({
      media: [{ source: media_id, source_type: 'media_id' }],
    });
  });

  it('counts what happened to posts on bluesky', async ({ world, account: { id } }) => {
    await call(world, 'create_post', { text: 'mine', account_ids: [id], publish_now: true });
    const act = (action: string, input: object) =>
      fetch(`${world.root}/sandbox/__control/act`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ network: 'bluesky', action, ...input }),
      });
    await act('post', { person: personOf(world).handle, text: 'foreign' });
    await sync(world, id);
    const before = await targetsOf(world);
    expect(before).toMatchObject({ mine: { metrics: { likes: 0 } }, foreign: { metrics: { likes: 0 } } });

    const person = personOf(world, 1).handle;
    for (const { platform_post_id: post } of Object.values(before)) await act('like', { person, post });
    await act('reply', { person, post: before['mine'].platform_post_id, text: 'Nice' });
    world.clock.move(REST_MS);
    await sync(world, id);
    const metrics_synced_at = at(world);
    expect(await targetsOf(world)).toMatchObject({
      mine: { metrics: { likes: 1, comments: 1 }, metrics_synced_at, permalink: before['mine'].permalink },
      foreign: { metrics: { likes: 1, comments: 0 }, metrics_synced_at },
    });
  });

  it('renews links, and keeps what the platform does not name this time', async () => {
    const told = (link: string, more: Partial<ListedPost> = {}): ListedPost => ({
      platform_post_id: 'p1',
      text: 'foreign',
      created_at: Date.UTC(2026, 0, 10),
      media: [{ type: 'image', url: `https://told.test/${link}` }],
      ...more,
    });
    const metrics = { likes: 1, comments: 2, shares: 0, saves: 0 };
    const permalink = 'https://told.test/p1';
    const { world, telling, accountId } = await accountWorld({
      posts: [told('old', { permalink, metrics: { ...metrics, extra: { views: 9 } } })],
    });
    const link = async () => {
      const [{ media, targets }] = (await call(world, 'list_posts')).body.data;
      return { ...targets[0], media };
    };
    await sync(world, accountId);
    const first = at(world);
    world.clock.move(REST_MS);
    telling.posts = [told('new')];
    await sync(world, accountId);
    expect(await link()).toMatchObject({
      media: [{ source: 'https://told.test/new', source_type: 'url', type: 'image' }],
      platform_media: [{ type: 'image', url: 'https://told.test/new' }],
      metrics: { ...metrics, extra: { views: 9 } },
      metrics_synced_at: first,
      permalink,
    });

    world.clock.move(REST_MS);
    telling.posts = [told('newer', { metrics: { ...metrics, likes: 5 }, permalink: `${permalink}/moved` })];
    await sync(world, accountId);
    expect(await link()).toMatchObject({
      metrics: { likes: 5, extra: { views: 9 } },
      metrics_synced_at: at(world),
      permalink: `${permalink}/moved`,
    });
  });
});
