import { SECOND, MINUTE, HOUR, DAY } from '#kernel/clock.ts';
import { describe, expect } from 'vitest';
import { mp4, png } from '../../harness/media-samples.ts';
import { accountNow, list, postNow, publish, read } from '../../harness/calls/rest.ts';
import { it, makeWorld, type Json, type World } from '../../harness/world.ts';
import { enlarged, FRED, NORA, OLIVIA, standInOf } from './stand-in.ts';

const LIST = 'GET /youtube/v3/commentThreads';

const film = mp4({ tracks: [{ handler: 'vide', width: 1280, height: 720 }] });

async function sceneIn(world: World, settings: object = {}) {
  const youtube = standInOf(world, 'youtube', '/o/oauth2/v2/auth');
  await youtube.act('settings', { processing_ms: '0', ...settings });
  const account = await youtube.connect(OLIVIA);
  await world.settle();
  const post = async (input: object = {}, bytes: Uint8Array<ArrayBuffer> = film): Promise<Json> => {
    const media_ids = [await youtube.upload('a.mp4', 'video/mp4', bytes)];
    return (await publish(world, account, { title: 'Bread', text: 'How we bake', media_ids, ...input })).body;
  };
  /** The post once nothing about it is open any more. */
  async function final(id: string): Promise<Json> {
    for (let waits = 0; waits < 30; waits += 1) {
      const body = await postNow(world, id);
      if (body.status !== 'publishing') return body;
      await world.pass(2 * MINUTE);
    }
    throw new Error('the post is still publishing');
  }
  const noticed = async () => (await accountNow(world, account)).metadata.notice as string | undefined;
  return { youtube, account, post, final, noticed, limits: () => read(world, `/v1/accounts/${account}/limits`) };
}

describe('a video', () => {
  it.each([
    ['of which YouTube takes half a part', { upload_half: '1' }],
    ['whose parts meet 503', { upload_503: '2' }],
    ['of which a part is forgotten', { upload_forgets: '1' }],
    ['whose session is gone before its end', { upload_gone_before_end: '1' }],
    ['whose session is gone behind its end', { upload_gone_after_end: '1' }],
  ])('%s exists once', async (_, settings) => {
    const world = await makeWorld();
    const { youtube, post, final } = await sceneIn(world, settings);
    const { id } = await post({}, enlarged(film, 9));
    const done = await final(id);
    expect([done.status, done.results[0].error]).toEqual(['published', null]);
    const videos = await youtube.look('videos');
    expect(videos.map(({ about }) => about.title)).toEqual(['Bread']);
    expect(done.results[0]).toMatchObject({ platform_post_id: videos[0]!.id, platform: 'youtube' });
    await world.end();
  });

  it('has what was asked for, is published once it is processed, measured and deleted', async ({ world }) => {
    const { youtube, post } = await sceneIn(world, { processing_ms: String(20 * MINUTE) });
    const thumbnail = { source: await youtube.upload('t.png', 'image/png', png(1280, 720)), source_type: 'media_id' };
    const options = { privacy_status: 'unlisted', tags: ['rye', 'fresh bread'], category_id: '26', thumbnail };
    const made = await post({ first_comment: 'First', platform_data: { youtube: options } });
    expect([made.status, made.error]).toEqual(['publishing', undefined]);
    await world.pass(10 * MINUTE);
    expect((await postNow(world, made.id)).status).toBe('publishing');
    for (const minutes of [15, 1, 1]) await world.pass(minutes * MINUTE);
    expect(await postNow(world, made.id)).toMatchObject({ status: 'published', results: [{ attempts: 1 }] });
    const [video] = await youtube.look('videos');
    expect(video).toMatchObject({
      privacy: 'unlisted',
      thumb: expect.any(String),
      about: { title: 'Bread', description: 'How we bake', tags: ['rye', 'fresh bread'], categoryId: '26' },
    });
    expect((await youtube.look('comments')).map(({ text }) => text)).toEqual(['First']);
    await youtube.act('watch', { video: video!.id, views: '12', likes: '3' });
    await world.pass(HOUR);
    expect(JSON.stringify(await read(world, `/v1/posts/${made.id}/metrics`))).toContain('"views":12');
    expect((await world.rest(`POST /v1/posts/${made.id}/unpublish`)).status).toBe(200);
    expect((await youtube.look('videos'))[0]!.deleted_at).toBeDefined();
  });

  it('that YouTube rejects has failed, and says why', async ({ world }) => {
    const { post, final } = await sceneIn(world, { processing_ends: 'rejected:copyright' });
    const done = await final((await post()).id);
    expect(done.status).toBe('failed');
    expect(done.results[0].error).toMatchObject({ code: 'platform.youtube.blocked', platform_code: 'copyright' });
  });
});

it('needs a channel', async ({ world }) => {
  const { youtube } = await sceneIn(world);
  await expect(youtube.connect(NORA)).rejects.toThrow('platform.youtube.no_channels');
});

describe('comments', () => {
  it('are polled, listed, answered, held, and rejected where they are of others', async ({ world }) => {
    const { youtube, account, post, final } = await sceneIn(world);
    const receiver = await world.receive(['comment.received']);
    const { id, results } = await final((await post()).id);
    const video = results[0].platform_post_id;
    await world.pass(MINUTE);
    await youtube.act('comment', { person: FRED, video, text: 'Is it rye?' });
    await world.pass(MINUTE);
    expect(receiver.received.map(({ body }) => (body.data as Json).content.text)).toEqual(['Is it rye?']);
    const comments = `/v1/inbox/comments/${id}` as const;
    const texts = async (query: string) => (await list(world, `${comments}?${query}`)).map(({ text }) => text);
    const [comment] = (await list(world, comments)) as readonly [Json];
    expect((await world.rest(`POST ${comments}`, { text: 'Yes', comment_id: comment.id })).status).toBe(200);
    expect(await texts('q=rye')).toEqual(['Is it rye?']);
    const at = `${comments}/${comment.id}` as const;
    expect((await world.rest(`POST ${at}/hide`)).status).toBe(200);
    expect(await texts('moderation_status=held_for_review')).toEqual(['Is it rye?']);
    expect((await world.rest(`DELETE ${at}`)).status).toBe(200);
    const states = (await youtube.look('comments')).map(({ text, state }) => [text, state]);
    expect(states).toContainEqual(['Is it rye?', 'rejected']);
    expect(account).toBeDefined();
  });

  it('may have a picture', async ({ world }) => {
    const { youtube, post, final } = await sceneIn(world);
    const { id, results } = await final((await post()).id);
    const image = 'https://i.example.org/loaf.png';
    await youtube.act('comment', { person: FRED, video: results[0].platform_post_id, text: 'Like this?', image });
    await world.pass(2 * MINUTE);
    const [comment] = await list(world, `/v1/inbox/comments/${id}`);
    expect(comment!.content).toMatchObject({ text: 'Like this?', media: [{ type: 'image', url: image }] });
  });
});

describe('the quota of the day', () => {
  it('that is nearly used up pauses polls, is shown, and comes back at midnight in California', async ({ world }) => {
    const { youtube, limits, post, final, noticed } = await sceneIn(world);
    const { id } = await final((await post()).id);
    await world.pass(MINUTE);
    expect(await limits()).toMatchObject({ uploads_remaining: 99 });
    await world.product.store.write(({ db }) =>
      db.updateTable('quotas').set({ used: 9_999 }).where('bucket', 'like', '%units%').execute(),
    );
    expect(await limits()).toMatchObject({ units_remaining: 1 });
    const before = await youtube.calls(LIST);
    await world.pass(HOUR);
    expect(await youtube.calls(LIST)).toBe(before);
    expect(await noticed()).toContain('Polling is paused');
    const { status, headers, body } = await world.rest(`POST /v1/inbox/comments/${id}`, { text: 'Hello' });
    expect([status, body.error.code]).toEqual([429, 'platform.youtube.rate_limit']);
    const midnight = Math.ceil(world.clock.now() / DAY) * DAY + 8 * HOUR;
    const left = Math.min(midnight, midnight - DAY > world.clock.now() ? midnight - DAY : midnight) - world.clock.now();
    expect(Number(headers.get('retry-after'))).toBe(Math.ceil(left / SECOND));
    await world.pass(left + 2 * HOUR);
    expect(await youtube.calls(LIST)).toBeGreaterThan(before);
    expect((await limits()).units_remaining).toBeGreaterThan(9_900);
    expect(await noticed()).toBeUndefined();
    expect((await world.rest(`POST /v1/inbox/comments/${id}`, { text: 'Hello' })).status).toBe(200);
  });
});

describe('the hub', () => {
  it('tells of videos made elsewhere, signed, and is asked again before its lease ends', async ({ world }) => {
    const { youtube } = await sceneIn(world);
    const subscriptions = () => youtube.look('subscriptions');
    expect(await subscriptions()).toHaveLength(1);
    const known = async () => (await list(world, '/v1/inbox/comments')).map((one) => JSON.stringify(one));
    await youtube.does('settings', { push_wrong_signature: 'true' });
    await youtube.does('upload', { channel: 'Harbour Coffee', title: 'Forged' });
    expect(await known()).toEqual([]);
    await youtube.does('settings', { push_wrong_signature: 'false' });
    await youtube.does('upload', { channel: 'Harbour Coffee', title: 'From the studio' });
    expect(await known()).toEqual([expect.stringContaining('From the studio')]);
    const [{ until }] = (await subscriptions()) as readonly [Json];
    for (let days = 0; days < 9; days += 1) await world.pass(DAY);
    const [renewed] = await subscriptions();
    expect(renewed!.until).toBeGreaterThan(until);
  });

  it('is subscribed to for as long as it grants, at the address of the feed that it knows', async ({ world }) => {
    const { youtube } = await sceneIn(world, { hub_xml: 'false', hub_lease_s: '86400' });
    const [first] = (await youtube.look('subscriptions')) as readonly [Json];
    expect(first.topic).not.toContain('/xml/');
    for (let hours = 0; hours < 23; hours += 1) await world.pass(HOUR);
    const [renewed] = (await youtube.look('subscriptions')) as readonly [Json];
    expect(renewed.until).toBeGreaterThan(first.until);
  });

  it('that is down is asked again, and uploads are polled until it is there', async ({ world }) => {
    const { youtube } = await sceneIn(world, { hub_down: 'true' });
    const known = async () => (await list(world, '/v1/inbox/comments')).map((one) => JSON.stringify(one));
    await youtube.does('upload', { channel: 'Harbour Coffee', title: 'Unheard' });
    for (let minutes = 0; minutes < 20; minutes += 1) await world.pass(MINUTE);
    expect(await known()).toEqual([expect.stringContaining('Unheard')]);
    await youtube.does('settings', { hub_down: 'false' });
    for (let hours = 0; hours < 3; hours += 1) await world.pass(HOUR);
    expect(await youtube.look('subscriptions')).toHaveLength(1);
  });

  it('is confirmed that an account is gone, and nothing else is there', async ({ world }) => {
    const { youtube, account } = await sceneIn(world);
    const [{ callback }] = await youtube.look('subscriptions');
    const ask = async (mode: string) => {
      const topic = 'https://www.youtube.com/xml/feeds/videos.xml?channel_id=UC1';
      const query = { 'hub.mode': mode, 'hub.topic': topic, 'hub.challenge': 'abc' };
      return (await fetch(`${callback}?${new URLSearchParams(query).toString()}`)).status;
    };
    expect(await ask('unsubscribe')).toBe(403);
    await world.rest(`DELETE /v1/accounts/${account}`);
    await world.settle();
    expect(await youtube.look('subscriptions')).toEqual([]);
    expect([await ask('subscribe'), (await fetch(callback, { method: 'POST', body: '<feed/>' })).status]).toEqual([
      403, 404,
    ]);
    await world.pass(2 * DAY);
    expect(await ask('unsubscribe')).toBe(404);
    expect(await world.product.store.db.selectFrom('subscriptions').selectAll().execute()).toEqual([]);
  });
});
