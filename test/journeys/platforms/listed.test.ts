import { MINUTE } from '#kernel/clock.ts';
import { describe, expect } from 'vitest';
import { jpeg, mp4 } from '../../harness/media-samples.ts';
import { it, type World } from '../../harness/world.ts';
import { list, postNow, read, sync } from '../../harness/calls/rest.ts';
import { OLIVIA, standInOf } from './stand-in.ts';

const text = 'How we bake';

const VIDEO = { name: 'a.mp4', type: 'video/mp4', bytes: mp4({ ms: 5000, tracks: [{ handler: 'vide' }] }) };
const IMAGE = { name: 'a.jpg', type: 'image/jpeg', bytes: jpeg(720, 1280) };

/** What an export says of the only post of an account, which is published first. */
async function exported(world: World, account_id: string, input: object) {
  const { body: made } = await world.rest('POST /v1/posts', { text, account_ids: [account_id], ...input });
  await world.rest(`POST /v1/posts/${made.id}/publish`);
  for (let waits = 0; waits < 5; waits += 1) await world.pass(2 * MINUTE);
  expect((await postNow(world, made.id)).status).toBe('published');
  const { body: asked } = await world.rest(`POST /v1/accounts/${account_id}/export`, {});
  await world.settle();
  const { videos } = await read(world, `/v1/exports/${asked.id}/videos`);
  expect(videos).toHaveLength(1);
  return videos[0];
}

describe('a listed post has its title, its length and its size', () => {
  it.for([
    ['tiktok', { title: text, width: 1080, height: 1920 }],
    ['business', { title: '', width: null, height: null }],
  ] as const)('on TikTok, connected as %s', async ([login, shown], { world }) => {
    const tiktok = standInOf(world, 'tiktok', '/v2/auth/authorize/');
    await tiktok.act('settings', { processing_ms: '0', moderation_ms: '0' });
    const account = await tiktok.connect(OLIVIA, login);
    const media_ids = [await tiktok.upload(VIDEO.name, VIDEO.type, VIDEO.bytes)];
    expect(await exported(world, account, { media_ids })).toMatchObject({
      ...shown,
      description: text,
      duration_seconds: 5,
      cover_image_url: expect.stringMatching(/^http/),
    });
  });

  it('on YouTube', async ({ world }) => {
    const youtube = standInOf(world, 'youtube', '/o/oauth2/v2/auth');
    await youtube.act('settings', { processing_ms: '0' });
    const media_ids = [await youtube.upload(VIDEO.name, VIDEO.type, VIDEO.bytes)];
    const post = await exported(world, await youtube.connect(OLIVIA), { title: 'Bread', media_ids });
    expect(post).toMatchObject({ title: 'Bread', description: text, duration_seconds: 3 });
  });

  it.for([
    ['pinterest', '/oauth/', text, { processing_ms: '0' }],
    ['zalo', '/v4/oa/permission', 'Bread', {}],
  ] as const)('on %s', async ([slug, consent, description, settings], { world }) => {
    const network = standInOf(world, slug, consent);
    await network.act('settings', settings);
    const account = await network.connect(OLIVIA);
    const { data } = await read(world, `/v1/posts/validate?account_id=${account}`);
    const board_id = data[slug].board.boards?.[0].board_id;
    const media_ids = [await network.upload(IMAGE.name, IMAGE.type, IMAGE.bytes)];
    const targets = [{ account_id: account, ...(board_id && { board_id }) }];
    const post = await exported(world, account, { title: 'Bread', media_ids, account_ids: undefined, targets });
    expect(post).toMatchObject({ title: 'Bread', description });
  });

  it('among the posts too, when it was made elsewhere', async ({ world }) => {
    const pinterest = standInOf(world, 'pinterest', '/oauth/');
    const account = await pinterest.connect(OLIVIA);
    const [board] = await pinterest.look('boards');
    await pinterest.act('pin', { board: board!.id, title: 'Bread', text });
    await sync(world, account);
    expect(await list(world, '/v1/posts')).toMatchObject([{ title: 'Bread', text }]);
  });
});
