/**
 * Nobody publishes a schema or a client of the Threads API, so what holds this simulator are the facts of its
 * reference.
 */
import { DAY } from '#kernel/clock.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { jpeg, mp4, png } from '../../harness/media-samples.ts';
import { THREADS_TEXTS } from '../../harness/threads-texts.ts';
import { refused } from '../../harness/worlds/twins/facebook.ts';
import { FRED, OLIVIA, openThreadsWorld, SAM, type ThreadsWorld } from '../../harness/worlds/twins/threads.ts';

const TEXT = { media_type: 'TEXT' } as const;
const NOT_FOUND = refused(24, 4_279_009);

let world: ThreadsWorld;
let token: string;
let image: string;
let film: string;
beforeAll(async () => {
  world = await openThreadsWorld();
  image = world.app.put('a.jpg', jpeg(40, 30), 'image/jpeg');
  film = world.app.put('a.mp4', mp4({}), 'video/mp4');
});
beforeEach(async () => {
  await world.sandbox.reset();
  world.app.clear();
  token = await world.login();
});
afterAll(() => world.close());

const open = async (params: object) => (await world.post('me/threads', token, params as never)).json.id as string;
const publish = (creation_id: string) => world.post('me/threads_publish', token, { creation_id });
const statusOf = async (id: string) => (await world.get(id, token, { fields: 'status,error_message' })).json;
const texts = async (path = 'me/threads', params = {}) =>
  (await world.get(path, token, { fields: 'id,text', ...params })).json.data.map((one: any) => one.text);
const say = (text: string, more = {}) => world.publish(token, { ...TEXT, text, ...more });

describe('publishing', () => {
  it('takes two steps for a text, and one if it is told so', async () => {
    const container = await open({
      ...TEXT,
      text: 'Hello',
      link_attachment: 'https://example.com/a',
      topic_tag: 'tea',
    });
    expect(await statusOf(container)).toEqual({ id: container, status: 'FINISHED' });
    expect(await texts()).toEqual([]);
    const { json } = await publish(container);
    expect(json.id).not.toBe(container);
    expect(await statusOf(container)).toEqual({ id: container, status: 'PUBLISHED' });
    expect(await publish(container)).toMatchObject(NOT_FOUND);
    const fields =
      'media_product_type,media_type,text,permalink,owner,username,timestamp,link_attachment_url,topic_tag';
    const post = (await world.get(json.id, token, { fields: `${fields},is_quote_post,media_url,is_reply` })).json;
    expect(post).toMatchObject({
      id: json.id,
      media_product_type: 'THREADS',
      media_type: 'TEXT_POST',
      text: 'Hello',
      username: OLIVIA,
      link_attachment_url: 'https://example.com/a',
      topic_tag: 'tea',
      is_reply: false,
    });
    expect(post).not.toHaveProperty('media_url');
    expect((await world.ask(post.permalink)).text).toContain('Hello');
    await world.post('me/threads', token, { ...TEXT, text: 'At once', auto_publish_text: true });
    expect(await texts()).toEqual(['At once', 'Hello']);
  });

  it('fetches pictures at once and films in its own time', async () => {
    await world.act('settings', { container_processing_ms: 5000, container_processing_polls: 2 });
    const picture = await world.publish(token, {
      media_type: 'IMAGE',
      image_url: image,
      alt_text: 'A cup',
      text: 'Cup',
    });
    const { media_url, alt_text } = (await world.get(picture, token, { fields: 'media_url,alt_text' })).json;
    expect(alt_text).toBe('A cup');
    expect((await world.ask(media_url)).headers.get('content-type')).toBe('image/jpeg');
    const video = await open({ media_type: 'VIDEO', video_url: film, text: 'Film' });
    expect((await statusOf(video)).status).toBe('IN_PROGRESS');
    expect(await publish(video)).toMatchObject(NOT_FOUND);
    world.clock.move(5000);
    expect((await statusOf(video)).status).toBe('IN_PROGRESS');
    expect((await statusOf(video)).status).toBe('FINISHED');
    const { id } = (await publish(video)).json;
    expect((await world.get(id, token, { fields: 'media_type,thumbnail_url' })).json).toMatchObject({
      media_type: 'VIDEO',
      thumbnail_url: expect.any(String),
    });
    const fetched = world.sandbox.requests().filter(({ method }) => method === 'GET media');
    expect(fetched).toHaveLength(2);
  });

  it('refuses pictures that it cannot have, and fails with films', async () => {
    const gone = 'http://127.0.0.1:9/a.jpg';
    expect(await world.post('me/threads', token, { media_type: 'IMAGE', image_url: gone })).toMatchObject(
      refused(1, 2_207_052),
    );
    const text = world.app.put('a.txt', Buffer.from('hello'), 'text/plain');
    expect(await world.post('me/threads', token, { media_type: 'IMAGE', image_url: text })).toMatchObject(refused(100));
    await world.act('settings', { container_processing_polls: 0 });
    for (const [video_url, error_message] of [
      [gone, 'FAILED_DOWNLOADING_VIDEO'],
      [text, 'FAILED_PROCESSING_VIDEO'],
    ] as const) {
      const id = await open({ media_type: 'VIDEO', video_url });
      expect(await statusOf(id)).toEqual({ id, status: 'ERROR', error_message });
      expect(await publish(id)).toMatchObject(NOT_FOUND);
    }
    await world.act('settings', { container_failure: 'INVALID_DURATION' });
    expect(await statusOf(await open({ ...TEXT, text: 'x' }))).toMatchObject({ error_message: 'INVALID_DURATION' });
  });

  it('forgets containers after a day, and may not find fresh ones', async () => {
    const old = await open({ ...TEXT, text: 'Old' });
    world.clock.move(DAY);
    expect((await statusOf(old)).status).toBe('EXPIRED');
    expect(await publish(old)).toMatchObject(NOT_FOUND);
    await world.act('settings', { publish_lag_ms: 1000 });
    const fresh = await open({ ...TEXT, text: 'Fresh' });
    expect(await publish(fresh)).toMatchObject(NOT_FOUND);
    world.clock.move(1000);
    expect((await publish(fresh)).status).toBe(200);
  });

  it('puts 2 to 20 parts into a carousel, in the order in which they are named', async () => {
    await world.act('settings', { container_processing_polls: 0 });
    const part = (more: object) => open({ is_carousel_item: true, ...more });
    const still = await part({ media_type: 'IMAGE', image_url: image });
    const moving = await part({ media_type: 'VIDEO', video_url: film });
    expect(await publish(still)).toMatchObject(NOT_FOUND);
    const carousel = (children: string) =>
      world.post('me/threads', token, { media_type: 'CAROUSEL', children, text: 'Two' });
    expect(await carousel(still)).toMatchObject(refused(100));
    expect(await carousel([still, 'nothing'].join(','))).toMatchObject(refused(100));
    expect(await carousel(Array(21).fill(still).join(','))).toMatchObject(refused(100));
    const { id } = (await publish((await carousel([moving, still].join(','))).json.id)).json;
    const { json } = await world.get(id, token, { fields: 'media_type,children{media_type,media_url}' });
    expect(json.media_type).toBe('CAROUSEL_ALBUM');
    expect(json.children.data.map((one: any) => one.media_type)).toEqual(['VIDEO', 'IMAGE']);
  });

  it('refuses what is malformed or may not be said', async () => {
    const refusedWith = async (params: object) =>
      expect(await world.post('me/threads', token, params as never)).toMatchObject(refused(100));
    await refusedWith({ text: 'no type' });
    await refusedWith({ ...TEXT });
    await refusedWith({ ...TEXT, text: 'a', reply_control: 'nobody' });
    await refusedWith({ ...TEXT, text: 'a', topic_tag: 'a.b' });
    await refusedWith({ ...TEXT, text: 'a', reply_to_id: '999' });
    await refusedWith({ media_type: 'IMAGE', image_url: image, link_attachment: 'https://example.com' });
    const links = (count: number) => Array.from({ length: count }, (_, at) => `https://example.com/${at}`).join(' ');
    expect((await world.post('me/threads', token, { ...TEXT, text: links(6) })).text).toContain(
      'THREADS_API__LINK_LIMIT_EXCEEDED',
    );
    await say(links(5));
    await say(`${links(5)} https://example.com/0.`);
  });

  it('is limited by the day, for posts, answers and deletions apart', async () => {
    await world.act('settings', { post_quota: 2, reply_quota: 1, delete_quota: 1 });
    const [one] = [await say('One'), await say('Two')];
    const over = refused(9, 2_207_042);
    expect(await publish(await open({ ...TEXT, text: 'Three' }))).toMatchObject(over);
    await say('Answer', { reply_to_id: one });
    expect(await publish(await open({ ...TEXT, text: 'Answer', reply_to_id: one }))).toMatchObject(over);
    const fields = 'quota_usage,config,reply_quota_usage,reply_config,delete_quota_usage,delete_config';
    expect((await world.get('me/threads_publishing_limit', token, { fields })).json.data).toEqual([
      {
        quota_usage: 2,
        config: { quota_total: 2, quota_duration: 86_400 },
        reply_quota_usage: 1,
        reply_config: { quota_total: 1, quota_duration: 86_400 },
        delete_quota_usage: 0,
        delete_config: { quota_total: 1, quota_duration: 86_400 },
      },
    ]);
    expect((await world.del(one, token)).json).toEqual({ success: true, deleted_id: one });
    const [left] = (await world.get('me/threads', token)).json.data;
    expect(await world.del(left.id, token)).toMatchObject(over);
    world.clock.move(DAY);
    expect((await world.del(left.id, token)).status).toBe(200);
    await say('Four');
  });
});

describe('a text', () => {
  it.each(THREADS_TEXTS)('of at most 500 is taken, emoji by their bytes: %s', async (_what, text, fits) => {
    expect((await world.post('me/threads', token, { ...TEXT, text })).status).toBe(fits ? 200 : 400);
  });
});

describe('threads and answers', () => {
  it('are posts that follow one another, and are drawn one below the other', async () => {
    const one = await say('One');
    const two = await say('Two', { reply_to_id: one });
    const three = await say('Three', { reply_to_id: two });
    await world.act('reply', { person: FRED, on: two, text: 'Nice' });
    expect(await texts()).toEqual(['One']);
    expect(await texts('me/replies')).toEqual(['Three', 'Two']);
    expect(await texts(`${one}/replies`)).toEqual(['Two']);
    expect(await texts(`${one}/conversation`, { reverse: false })).toEqual(['Two', 'Three', 'Nice']);
    const { json } = await world.get(three, token, {
      fields: 'permalink,root_post,replied_to,is_reply,is_reply_owned_by_me',
    });
    expect(json).toMatchObject({
      root_post: { id: one },
      replied_to: { id: two },
      is_reply: true,
      is_reply_owned_by_me: true,
    });
    const { permalink } = (await world.get(one, token, { fields: 'permalink' })).json;
    const shown = (await world.ask(permalink)).text;
    expect([...shown.matchAll(/\d\/3|One|Two|Three|Nice/g)].map(String)).toEqual(
      expect.arrayContaining(['1/3', 'One', '2/3', 'Two', 'Nice', '3/3', 'Three']),
    );
    expect(await world.get(`${two}/conversation`, token)).toMatchObject(refused(100));
  });

  it('of others have a name and no id, and can be hidden where they are directly below a post', async () => {
    const id = await say('Open');
    const { id: reply } = await world.act('reply', { person: FRED, on: id, text: 'Rude' });
    const { id: deeper } = await world.act('reply', { person: SAM, on: reply, text: 'Deeper' });
    const fields = 'text,username,owner,hide_status,is_reply_owned_by_me';
    expect((await world.get(`${id}/replies`, token, { fields })).json.data).toEqual([
      { id: reply, text: 'Rude', username: FRED, hide_status: 'NOT_HUSHED', is_reply_owned_by_me: false },
    ]);
    expect((await world.post(`${reply}/manage_reply`, token, { hide: true })).json).toEqual({ success: true });
    expect((await world.get(reply, token, { fields: 'hide_status' })).json.hide_status).toBe('HIDDEN');
    const { permalink } = (await world.get(id, token, { fields: 'permalink' })).json;
    expect((await world.ask(permalink)).text).not.toContain('Rude');
    await world.post(`${reply}/manage_reply`, token, { hide: false });
    expect((await world.ask(permalink)).text).toContain('Rude');
    expect(await world.post(`${deeper}/manage_reply`, token, { hide: true })).toMatchObject(refused(100));
    expect(await world.del(reply, token)).toMatchObject(refused(100));
    const answer = await say('Thank you', { reply_to_id: reply });
    expect((await world.del(answer, token)).status).toBe(200);
    expect(await world.get(answer, token)).toMatchObject(refused(100, 33));
    await world.act('delete_reply', { reply });
    expect(await texts(`${id}/replies`)).toEqual([]);
  });

  it('of strangers are not to be seen, mentions are', async () => {
    const { id } = await world.act('own_post', { person: SAM, text: 'Of Sam' });
    expect(await world.get(id, token)).toMatchObject(refused(100, 33));
    await world.act('mention', { person: FRED, whom: OLIVIA, text: 'Look' });
    const { data } = (await world.get('me/mentions', token, { fields: 'username,text,permalink' })).json;
    expect(data).toMatchObject([{ username: FRED, text: `@${OLIVIA} Look` }]);
    expect((await world.get(data[0].id, token)).status).toBe(200);
    await say('Welcome', { reply_to_id: data[0].id });
    await world.login(OLIVIA, { scopes: 'threads_basic,threads_content_publish' });
    const few = await world.login(OLIVIA);
    expect(await world.get('me/mentions', few)).toMatchObject(refused(10, undefined, 403));
    expect(await world.post('me/threads', few, { ...TEXT, text: 'a', reply_to_id: data[0].id })).toMatchObject(
      refused(10, undefined, 403),
    );
  });

  it('can be quoted and repeated', async () => {
    const id = await say('First');
    const quote = await say('Look', { quote_post_id: id });
    expect((await world.get(quote, token, { fields: 'is_quote_post,quoted_post' })).json).toMatchObject({
      is_quote_post: true,
      quoted_post: { id },
    });
    const { id: repost } = await world.act('own_repost', { person: OLIVIA, on: id });
    expect((await world.get(repost, token, { fields: 'media_type,text' })).json).toEqual({
      id: repost,
      media_type: 'REPOST_FACADE',
    });
    expect((await world.get(`${repost}/insights`, token, { metric: 'views' })).json).toEqual({ data: [] });
  });
});

describe('reading', () => {
  it('pages through lists with cursors, and only the last page has no next', async () => {
    for (let at = 1; at <= 5; at += 1) {
      world.clock.move(1000);
      await say(`${at}`);
    }
    const first = (await world.get('me/threads', token, { fields: 'text', limit: 2 })).json;
    expect(first.data.map((one: any) => one.text)).toEqual(['5', '4']);
    const second = await world.ask(first.paging.next);
    expect(second.json.data.map((one: any) => one.text)).toEqual(['3', '2']);
    const last = await world.ask(second.json.paging.next);
    expect(last.json.paging).toMatchObject({ cursors: { after: expect.any(String) } });
    expect(last.json.paging).not.toHaveProperty('next');
    const since = Math.floor((world.clock.now() - 1000) / 1000);
    expect(await texts('me/threads', { since })).toEqual(['5', '4']);
    expect(await world.get('me/threads', token, { fields: 'id,likes' })).toMatchObject(refused(100));
  });

  it('counts what people did', async () => {
    const id = await say('Count');
    await world.act('like', { person: FRED, on: id });
    await world.act('like', { person: FRED, on: id });
    await world.act('quote', { person: FRED, on: id, text: 'So it is' });
    await world.act('reply', { person: FRED, on: id, text: 'Yes', picture_url: world.app.put('b.png', png()) });
    const { permalink } = (await world.get(id, token, { fields: 'permalink' })).json;
    await world.ask(permalink);
    const metric = 'views,likes,replies,reposts,quotes,shares';
    const { data } = (await world.get(`${id}/insights`, token, { metric })).json;
    expect(data.map(({ name, period, values }: any) => [name, period, values[0].value])).toEqual([
      ['views', 'lifetime', 1],
      ['likes', 'lifetime', 1],
      ['replies', 'lifetime', 1],
      ['reposts', 'lifetime', 0],
      ['quotes', 'lifetime', 1],
      ['shares', 'lifetime', 0],
    ]);
    expect(await world.get(`${id}/insights`, token, { metric: 'joy' })).toMatchObject(refused(100));
  });

  it('meets posts that were made without the app, faults and ordered errors', async () => {
    await world.act('own_post', { person: OLIVIA, text: 'By hand' });
    expect(await texts()).toEqual(['By hand']);
    world.sandbox.setFault({ network: 'threads', person: OLIVIA, kind: 'throttled', method: 'GET post' });
    const [{ id }] = await world.list('posts');
    expect(await world.get(id, token)).toMatchObject(refused(4));
    await world.act('order', { method: 'POST person/threads', when: 'before', code: 24, subcode: 4_279_013 });
    expect(await world.post('me/threads', token, { ...TEXT, text: 'a' })).toMatchObject(refused(24, 4_279_013));
    const posts = world.sandbox.posts('threads', OLIVIA);
    expect(posts).toMatchObject([{ exists: true, text: 'By hand', versions: [{ action: 'create' }] }]);
    for (const page of ['/sandbox/threads', '/sandbox/threads/www/@olivia.sandbox.test'])
      expect((await world.ask(page)).text).toContain('By hand');
  });
});
