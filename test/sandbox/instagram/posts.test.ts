/** Publishing and reading on Instagram's simulator, by both log-ins. */
import { DAY } from '#kernel/clock.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { jpeg, mp4, png } from '../../harness/media-samples.ts';
import { refused } from '../../harness/worlds/twins/facebook.ts';
import {
  COFFEE,
  FRED,
  openInstagramWorld,
  type Acting,
  type InstagramWorld,
} from '../../harness/worlds/twins/instagram.ts';

let world: InstagramWorld;
let own: Acting;
let linked: Acting;
let image_url: string;
let video_url: string;
beforeAll(async () => {
  world = await openInstagramWorld();
  image_url = world.app.put('a.jpg', jpeg(40, 40), 'image/jpeg');
  video_url = world.app.put('a.mp4', mp4({}), 'video/mp4');
});
beforeEach(async () => {
  await world.sandbox.reset();
  world.app.clear();
  own = await world.login();
  linked = await world.facebookLogin();
});
afterAll(() => world.close());

const open = (params: object, by = own) => world.post(by, `${by.id}/media`, params as never);
const opened = async (params: object, by = own) => (await open(params, by)).json.id as string;
const publish = (creation_id: string, by = own) => world.post(by, `${by.id}/media_publish`, { creation_id });
const statusOf = async (id: string, by = own) => (await world.get(by, id, { fields: 'status_code,status' })).json;
const listed = async (by = own, params = {}) => (await world.get(by, `${by.id}/media`, params)).json;

describe('containers', () => {
  it('publish a picture once, which is found by its own id', async () => {
    const container = await opened({ image_url, caption: 'Hello #a', alt_text: 'A cup', collaborators: ['zoe'] });
    expect(await statusOf(container)).toMatchObject({ id: container, status_code: 'FINISHED' });
    expect((await listed()).data).toEqual([]);
    const { json } = await publish(container);
    expect(json.id).not.toBe(container);
    expect(await statusOf(container)).toMatchObject({ status_code: 'PUBLISHED' });
    expect(await publish(container)).toMatchObject(refused(24, 2_207_006));
    const fields =
      'caption,media_type,media_product_type,media_url,permalink,shortcode,timestamp,username,like_count,comments_count,is_comment_enabled,alt_text,owner';
    const post = (await world.get(own, json.id, { fields })).json;
    expect(post).toMatchObject({
      id: json.id,
      caption: 'Hello #a',
      media_type: 'IMAGE',
      media_product_type: 'FEED',
      username: COFFEE,
      alt_text: 'A cup',
      like_count: 0,
      owner: { id: own.id },
      timestamp: expect.stringMatching(/\+0000$/),
    });
    const shown = await world.ask(post.permalink);
    for (const words of ['Hello #a', COFFEE, 'zoe', 'A cup']) expect(shown.text).toContain(words);
    const fetched = world.sandbox.requests().filter(({ verb }) => verb === 'fetch');
    expect(fetched).toMatchObject([{ network: 'instagram', note: expect.stringMatching(/\/a\.jpg$/), status: 200 }]);
  });

  it('work for a while on films, and publish nothing before', async () => {
    const container = await opened({ media_type: 'REELS', video_url, cover_url: image_url, share_to_feed: false });
    expect(await publish(container)).toMatchObject(refused(9007, 2_207_027));
    expect(await statusOf(container)).toMatchObject({ status_code: 'IN_PROGRESS' });
    expect(await statusOf(container)).toMatchObject({ status_code: 'FINISHED' });
    const { json } = await publish(container);
    const fields = 'media_type,media_product_type,permalink,thumbnail_url,media_url,is_shared_to_feed';
    const reel = (await world.get(own, json.id, { fields })).json;
    expect(reel).toMatchObject({ media_type: 'VIDEO', media_product_type: 'REELS', is_shared_to_feed: false });
    expect(reel.permalink).toContain('/reel/');
    expect((await fetch(reel.thumbnail_url)).headers.get('content-type')).toBe('image/jpeg');
  });

  it('make sets of 2 to 10 mixed items out of finished parts, in their order', async () => {
    const picture = await opened({ image_url, is_carousel_item: true, alt_text: 'one' });
    const film = await opened({ media_type: 'VIDEO', video_url, is_carousel_item: true });
    const set = (children: readonly string[]) =>
      open({ media_type: 'CAROUSEL', caption: 'Set', children: children.join(',') });
    expect(await set([picture])).toMatchObject(refused(100));
    expect(await set(Array.from({ length: 11 }, () => picture))).toMatchObject(refused(100));
    expect(await set([picture, film])).toMatchObject(refused(9007, 2_207_027));
    expect(await publish(picture)).toMatchObject(refused(24, 2_207_006));
    const id = (await set([film, picture])).json.id;
    await statusOf(id);
    const post = (await publish(id)).json.id;
    const shown = (
      await world.get(own, post, { fields: 'media_type,media_url,children{media_type,media_url,alt_text}' })
    ).json;
    expect(shown).toMatchObject({
      media_type: 'CAROUSEL_ALBUM',
      children: { data: [{ media_type: 'VIDEO' }, { media_type: 'IMAGE', alt_text: 'one' }] },
    });
    expect(shown).not.toHaveProperty('media_url');
  });

  it('make stories, which are in a list of their own for a day', async () => {
    const id = await world.publish(own, { media_type: 'STORIES', image_url });
    const film = await world.publish(linked, { media_type: 'STORIES', video_url });
    expect((await listed()).data).toEqual([]);
    const stories = async () => (await world.get(own, `${own.id}/stories`, { fields: 'media_product_type' })).json.data;
    expect(await stories()).toEqual([film, id].map((one) => ({ id: one, media_product_type: 'STORY' })));
    const { permalink } = (await world.get(own, id, { fields: 'permalink' })).json;
    expect((await world.ask(permalink)).text).toContain('story');
    world.clock.move(DAY);
    expect(await stories()).toEqual([]);
  });

  it.each([
    [{ image_url: 'http://127.0.0.1:1/none.jpg' }, 9004, 2_207_052],
    [{ image_url: 'png' }, 36_001, 2_207_005],
    [{ image_url: 'wide' }, 36_003, 2_207_009],
    [{ image_url: 'a', caption: 'x'.repeat(2201) }, 36_004, 2_207_010],
    [{ image_url: 'a', caption: '#a '.repeat(31) }, 36_004, 2_207_010],
    [{ media_type: 'REELS', video_url: 'a', thumb_offset: -1 }, 1, 2_207_057],
    [{ media_type: 'VIDEO', video_url: 'a' }, 100, 2_207_023],
    [{ media_type: 'REELS' }, 100, undefined],
    [{ caption: 'words alone' }, 100, undefined],
    [{ image_url: 'a', collaborators: ['a', 'b', 'c', 'd'] }, 100, undefined],
  ])('refuse %o', async (params, code, subcode) => {
    const urls: Record<string, string> = {
      a: image_url,
      png: world.app.put('a.png', png(), 'image/png'),
      wide: world.app.put('wide.jpg', jpeg(400, 40), 'image/jpeg'),
    };
    const given = Object.entries(params).map(([name, value]) => [name, urls[String(value)] ?? value]);
    expect(await open(Object.fromEntries(given))).toMatchObject(refused(code, subcode));
  });

  it('fail later over films that cannot be had or read, expire, and end as the console says', async () => {
    const [gone, wrong] = [
      await opened({ media_type: 'REELS', video_url: 'http://127.0.0.1:1/none.mp4' }),
      await opened({ media_type: 'REELS', video_url: image_url }),
    ];
    for (const id of [gone, wrong]) expect(await statusOf(id)).toMatchObject({ status_code: 'IN_PROGRESS' });
    expect(await statusOf(gone)).toMatchObject({ status_code: 'ERROR', status: expect.stringContaining('2207052') });
    expect(await statusOf(wrong)).toMatchObject({ status_code: 'ERROR', status: expect.stringContaining('2207026') });
    expect(await publish(wrong)).toMatchObject(refused(-1, 2_207_032));
    const old = await opened({ image_url });
    await world.act('settings', { container_failure: '2207082' });
    expect(await statusOf(await opened({ image_url }))).toMatchObject({ status: expect.stringContaining('2207082') });
    await world.act('end_container', { container: await opened({ image_url }), as: 'EXPIRED' });
    world.clock.move(DAY);
    expect(await statusOf(old)).toMatchObject({ status_code: 'EXPIRED' });
    expect(await publish(old)).toMatchObject(refused(24, 2_207_008));
  });

  it('are counted against the limits of a day', async () => {
    await world.act('settings', { publish_quota: 1 });
    const limit = async () =>
      (await world.get(own, `${own.id}/content_publishing_limit`, { fields: 'config,quota_usage' })).json.data;
    const config = { quota_total: 1, quota_duration: 86_400 };
    expect(await limit()).toEqual([{ quota_usage: 0, config }]);
    await world.publish(own, { image_url });
    expect(await limit()).toEqual([{ quota_usage: 1, config }]);
    const more = await opened({ image_url });
    expect(await publish(more)).toMatchObject(refused(9, 2_207_042));
    await world.act('settings', { container_quota: 2 });
    expect(await open({ image_url })).toMatchObject(refused(9, 2_207_042));
    world.clock.move(DAY);
    expect((await open({ image_url })).status).toBe(200);
  });

  it('take films through the upload host, by the log-in of Facebook alone', async () => {
    const film = Buffer.from(mp4({}));
    const made = await open({ media_type: 'REELS', upload_type: 'resumable', caption: 'Up' }, linked);
    const { id, uri } = made.json;
    const upload = (body: Uint8Array, headers: Record<string, string>) =>
      fetch(uri, {
        method: 'POST',
        headers: { authorization: `OAuth ${linked.token}`, ...headers },
        body: new Uint8Array(body),
      });
    expect(await statusOf(id, linked)).toMatchObject({ status_code: 'IN_PROGRESS' });
    expect((await upload(film.subarray(0, 10), { offset: '0', file_size: String(film.length) })).status).toBe(400);
    const done = await upload(film.subarray(10), { offset: '10', file_size: String(film.length) });
    expect(await done.json()).toEqual({ success: true });
    expect(await statusOf(id, linked)).toMatchObject({ status_code: 'IN_PROGRESS' });
    expect(await statusOf(id, linked)).toMatchObject({ status_code: 'FINISHED' });
    const post = (await publish(id, linked)).json.id;
    const { media_url } = (await world.get(linked, post, { fields: 'media_url' })).json;
    expect(Buffer.from(await (await fetch(media_url)).arrayBuffer()).equals(film)).toBe(true);
    expect(await open({ media_type: 'REELS', upload_type: 'resumable' })).toMatchObject(refused(100));
    const other = (await open({ media_type: 'REELS', upload_type: 'resumable' }, linked)).json;
    const byUrl = { authorization: `OAuth ${linked.token}`, file_url: image_url };
    expect((await fetch(other.uri, { method: 'POST', headers: byUrl })).status).toBe(200);
    await statusOf(other.id, linked);
    expect(await statusOf(other.id, linked)).toMatchObject({ status_code: 'ERROR' });
  });
});

describe('posts', () => {
  it('are listed newest first in pages, with addresses that expire', async () => {
    await world.act('own_post', { page: COFFEE, text: 'Day', picture_url: image_url, times: 520 });
    const first = await listed(own, { limit: 100, fields: 'caption,media_url' });
    expect(first.data[0]).toMatchObject({ caption: 'Day 520' });
    let page = first;
    const captions: string[] = page.data.map(({ caption }: any) => caption);
    while (page.paging.next !== undefined) {
      page = (await world.ask(page.paging.next)).json;
      captions.push(...page.data.map(({ caption }: any) => caption));
    }
    expect([captions.length, new Set(captions).size]).toEqual([520, 520]);
    expect(page.paging.cursors.after).toEqual(expect.any(String));
    const [{ media_url }] = first.data;
    expect((await fetch(media_url)).status).toBe(200);
    world.clock.move(5 * DAY);
    expect((await fetch(media_url)).status).toBe(403);
    expect(
      (
        await fetch(
          (await listed()).data.length > 0
            ? (await listed(own, { limit: 1, fields: 'media_url' })).data[0].media_url
            : '',
        )
      ).status,
    ).toBe(200);
  });

  it('are deleted by the log-in of Facebook alone, and comments turned off by both', async () => {
    const id = await world.publish(own, { image_url, caption: 'Bye' });
    expect((await world.post(own, id, { comment_enabled: false })).json).toEqual({ success: true });
    expect((await world.get(own, id, { fields: 'is_comment_enabled' })).json.is_comment_enabled).toBe(false);
    expect(await world.post(own, `${id}/comments`, { message: 'x' })).toMatchObject(refused(100));
    expect(await world.del(own, id)).toMatchObject(refused(100, 33));
    expect((await world.del(linked, id)).json).toEqual({ success: true });
    expect(await world.get(own, id)).toMatchObject(refused(100, 33));
    expect((await listed()).data).toEqual([]);
    const [{ versions, exists }] = world.sandbox.posts('instagram', COFFEE) as any[];
    expect([versions.length, exists]).toEqual([2, false]);
  });

  it('have the numbers of their kind, empty before their time, and none for stories that few saw', async () => {
    const id = await world.publish(own, { image_url });
    const reel = await world.publish(own, { media_type: 'REELS', video_url });
    const story = await world.publish(own, { media_type: 'STORIES', image_url });
    await world.act('like', { person: FRED, on: id });
    await world.act('view', { post: id, times: 7 });
    const insights = (media: string, metric: string) => world.get(own, `${media}/insights`, { metric });
    const { data } = (await insights(id, 'views,likes,saved,total_interactions,profile_visits')).json;
    expect(Object.fromEntries(data.map(({ name, values }: any) => [name, values[0].value]))).toMatchObject({
      views: 7,
      likes: 1,
      total_interactions: 1,
    });
    expect(await insights(id, 'ig_reels_avg_watch_time')).toMatchObject(refused(100));
    expect((await insights(reel, 'ig_reels_avg_watch_time')).status).toBe(200);
    expect(await insights(story, 'views')).toMatchObject(refused(10));
    await world.act('view', { post: story, times: 5 });
    expect((await insights(story, 'views,navigation')).status).toBe(200);
    await world.act('settings', { insights_delay_ms: 2 * DAY });
    expect((await insights(id, 'views')).json).toEqual({ data: [] });
  });

  it('have ids that are numbers too large for a double where the switch says so', async () => {
    await world.publish(own, { image_url });
    await world.act('settings', { numeric_ids: true });
    const { text, json } = await world.get(own, `${own.id}/media`, { fields: 'id,owner' });
    expect(text).toMatch(/"owner":\{"id":17841\d{12}\}/);
    expect(json.data[0].owner.id).toEqual(expect.any(Number));
  });
});
