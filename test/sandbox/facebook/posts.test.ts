import { MINUTE } from '#kernel/clock.ts';
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  FRED,
  mp4,
  OLIVIA,
  openFacebookWorld,
  openPage,
  png,
  refused,
  SUCCESS,
  type FacebookWorld,
  type Page,
} from '../../harness/worlds/twins/facebook.ts';

const DRAFT = { published: false, unpublished_content_type: 'DRAFT' };

let world: FacebookWorld;
let page: Page;
beforeEach(async () => {
  world = await openFacebookWorld();
  page = await openPage(world);
  world.app.clear();
});
afterEach(() => world.close());

const feed = (params: object) => page.post('/feed', params);
const read = (id: string, fields: string) => page.get(id, { fields });
const messagesOf = (posts: readonly any[]) => posts.map(({ message }) => message);
const published = async (params = {}) =>
  messagesOf(await page.list('/published_posts', { fields: 'id,message', ...params }));
const switchOn = (id: string) => page.post(id, { is_published: true });
const isPublished = async (id: string) => (await read(id, 'is_published')).json.is_published;
/** The page that people see. */
const shownAt = async (id: string) => world.ask((await read(id, 'permalink_url')).json.permalink_url);
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('a post', () => {
  it('of text or link is public at once, has a page of its own, and is reported to the app', async () => {
    const content = { message: 'Hello é', link: 'https://example.com/a' };
    const { status, json } = await feed({ ...content, fields: 'id,permalink_url' });
    expect(status).toBe(200);
    expect(json.id).toMatch(new RegExp(`^${page.id}_\\d+$`));
    expect((await world.ask(json.permalink_url)).text).toContain('Hello é');
    await world.sandbox.settle();
    const value = { item: 'share', verb: 'add', post_id: json.id, message: 'Hello é', published: 1 };
    expect(world.app.updates()).toMatchObject([{ field: 'feed', value: { ...value, from: { id: page.id } } }]);
    const fields =
      'message,created_time,is_published,status_type,application,attachments{media_type,url},reactions.limit(0).summary(true),comments.limit(0).summary(true)';
    expect((await read(json.id, fields)).json).toMatchObject({
      created_time: '2026-11-21T12:00:00+0000',
      is_published: true,
      status_type: 'shared_story',
      application: { id: 'sandbox' },
      attachments: { data: [{ media_type: 'link', url: 'https://example.com/a' }] },
      comments: { data: [], summary: { total_count: 0 } },
      reactions: { data: [], summary: { total_count: 0 } },
    });
    expect(await read(json.id, 'link')).toMatchObject(refused(12));
  });

  it('as a draft is invisible until it is switched on by id, however often', async () => {
    const { json } = await feed({ message: 'later', ...DRAFT });
    expect(await published()).toEqual([]);
    expect(await isPublished(json.id)).toBe(false);
    expect((await shownAt(json.id)).status).toBe(404);
    await world.sandbox.settle();
    expect(world.app.updates()).toEqual([]);
    for (let turn = 0; turn < 3; turn += 1) expect((await switchOn(json.id)).json).toEqual(SUCCESS);
    expect(await published()).toEqual(['later']);
    await world.sandbox.settle();
    expect(world.app.updates()).toHaveLength(1);
    const [{ versions }] = world.sandbox.posts('facebook', OLIVIA) as any;
    expect(versions.map(({ action, record }: any) => [action, record.is_published])).toEqual([
      ['create', false],
      ['update', true],
    ]);
    expect(await page.post(json.id, { is_published: false })).toMatchObject(refused(100));
  });

  it('cannot be switched on where drafts are off, and its publication can be ordered to fail either side', async () => {
    const { json } = await feed({ message: 'later', ...DRAFT });
    await world.act('settings', { drafts: false });
    expect(await switchOn(json.id)).toMatchObject(refused(100));
    await world.act('settings', { drafts: true });
    const order = { method: 'POST post', code: 1, status: 500, is_transient: true };
    await world.act('order', { ...order, when: 'before' });
    const transient = { error: { code: 1, is_transient: true } };
    expect(await switchOn(json.id)).toMatchObject({ status: 500, json: transient });
    expect(await isPublished(json.id)).toBe(false);
    await world.act('order', { ...order, when: 'after' });
    expect((await switchOn(json.id)).status).toBe(500);
    expect(await isPublished(json.id)).toBe(true);
  });

  it('is not found and not listed while the readers lag behind', async () => {
    await world.act('settings', { read_lag_ms: MINUTE, list_lag_ms: 2 * MINUTE });
    const { json } = await feed({ message: 'fresh', ...DRAFT });
    expect(await read(json.id, 'id')).toMatchObject(refused(100, 33));
    expect((await switchOn(json.id)).status).toBe(200);
    world.clock.move(MINUTE);
    expect(await isPublished(json.id)).toBe(true);
    expect(await published()).toEqual([]);
    world.clock.move(MINUTE);
    expect(await published()).toEqual(['fresh']);
  });

  it('with the words of the last one answers 506', async () => {
    await feed({ message: 'same', ...DRAFT });
    expect(await feed({ message: 'same' })).toMatchObject(refused(506));
    await feed({ message: 'other' });
    expect((await feed({ message: 'same' })).status).toBe(200);
  });

  it('is scheduled between ten minutes and thirty days ahead, and then appears', async () => {
    const schedule = (minutes: number, more: object = { published: false }) => {
      const scheduled_publish_time = Math.floor((world.clock.now() + minutes * MINUTE) / 1000);
      return feed({ message: 'x', scheduled_publish_time, ...more });
    };
    for (const minutes of [5, 31 * 24 * 60]) expect(await schedule(minutes)).toMatchObject(refused(100));
    expect(await schedule(20, {})).toMatchObject(refused(100));
    expect((await schedule(20)).status).toBe(200);
    expect(await page.list('/scheduled_posts')).toHaveLength(1);
    world.clock.move(20 * MINUTE);
    expect(await published()).toEqual(['x']);
    expect(await page.list('/scheduled_posts')).toEqual([]);
  });

  it.each<[string, object, number, number?]>([
    ['without anything', {}, 100, 1349125],
    ['with a text too long', { message: 'x'.repeat(63_207) }, 100],
    ['with a broken link', { link: 'nowhere' }, 1609005],
    ['with a link to facebook.com', { link: 'https://www.facebook.com/x' }, 100, 1609008],
    ['with an unknown draft type', { message: 'x', published: false, unpublished_content_type: 'SKETCH' }, 100],
    ['as a public draft', { message: 'x', unpublished_content_type: 'DRAFT' }, 100],
    ['with a flag that is none', { message: 'x', published: 'perhaps' }, 100],
    ['with strange photos', { attached_media: [{ media_fbid: '1' }] }, 100],
  ])('%s is refused', async (_, params, code, subcode) => {
    expect(await feed(params)).toMatchObject(refused(code, subcode));
    expect(await world.list('posts')).toEqual([]);
  });

  it('needs the Page itself, its permission and its task', async () => {
    const params = { message: 'x' };
    expect(await world.post(`${page.id}/feed`, page.user, params)).toMatchObject(refused(190, 2069032));
    const bakery = await world.pageOf(page.user, 'Harbour Bakery');
    expect(await world.post(`${page.id}/feed`, bakery.token, params)).toMatchObject(refused(200, undefined, 403));
    await world.act('set_tasks', { person: OLIVIA, page: page.id, tasks: 'ANALYZE' });
    expect(await feed(params)).toMatchObject(refused(200, undefined, 403));
  });

  it('is changed and deleted by the app that made it', async () => {
    const { json } = await feed({ message: 'one' });
    expect((await page.post(json.id, { message: 'two' })).json).toEqual(SUCCESS);
    expect(await published()).toEqual(['two']);
    const foreign = await world.act('page_post', { page: page.id, message: 'by hand' });
    expect(await page.post(foreign.id, { message: 'x' })).toMatchObject(refused(200, undefined, 403));
    expect((await read(foreign.id, 'application')).json.application).toBeUndefined();
    expect((await page.remove(json.id)).json).toEqual(SUCCESS);
    expect(await page.remove(json.id)).toMatchObject(refused(100, 33));
    expect(await published()).toEqual(['by hand']);
    await world.sandbox.settle();
    expect(world.app.updates().map(({ value }) => [value.item, value.verb])).toEqual([
      ['status', 'add'],
      ['status', 'edited'],
      ['status', 'add'],
      ['status', 'remove'],
    ]);
  });

  it('is listed in pages, newest first, and by time', async () => {
    for (const message of ['a', 'b', 'c']) {
      await feed({ message });
      world.clock.move(1000);
    }
    const first = (await page.get('/published_posts', { fields: 'message', limit: 2 })).json;
    expect(messagesOf(first.data)).toEqual(['c', 'b']);
    await feed({ message: 'd' });
    const second = (await world.ask(first.paging.next)).json;
    expect(messagesOf(second.data)).toEqual(['a']);
    expect(second.paging.next).toBeUndefined();
    const since = Math.floor(world.clock.now() / 1000) - 1;
    expect(await published({ since })).toEqual(['d', 'c']);
    expect(await page.get('/published_posts', { limit: 'x' })).toMatchObject(refused(100));
    await world.act('visitor_post', { person: FRED, page: page.id, message: 'me too' });
    expect(await published()).not.toContain('me too');
    const [newest] = await page.list('/feed', { fields: 'message,from' });
    expect(newest).toMatchObject({ message: 'me too', from: { name: 'Fred Follower' } });
  });
});

describe('photos', () => {
  const photo = (params: object) => page.post('/photos', params);

  it('wait unpublished, are attached, and are used up by it', async () => {
    const attached_media: { media_fbid: string }[] = [];
    for (const at of [1, 2]) {
      const url = world.app.put(`p${at}`, png(at));
      const { id } = (await photo({ url, published: false, alt_text_custom: `alt ${at}` })).json;
      attached_media.push({ media_fbid: id });
    }
    expect(await page.list('/photos', { type: 'uploaded' })).toEqual([]);
    const { json } = await feed({ message: 'two', attached_media, ...DRAFT });
    expect((await switchOn(json.id)).status).toBe(200);
    const [album] = (await read(json.id, 'attachments{media_type,subattachments}')).json.attachments.data;
    const data = attached_media.map(({ media_fbid: id }) => ({ target: { id } }));
    expect(album).toMatchObject({ media_type: 'album', subattachments: { data } });
    const picture = await world.ask(album.subattachments.data[0].media.image.src);
    expect(picture.headers.get('content-type')).toBe('image/png');
    expect(await feed({ message: 'again', attached_media })).toMatchObject(refused(100, 1366051));
    expect((await shownAt(json.id)).text).toContain('alt="alt 2"');
  });

  it('are posted directly by address or by upload, and refused when they are no picture', async () => {
    const { json } = await photo({ url: world.app.put('p', png()), caption: 'one' });
    const shown = (await read(json.post_id, 'message,status_type')).json;
    expect(shown).toMatchObject({ message: 'one', status_type: 'added_photos' });
    const form = new FormData();
    form.set('published', 'false');
    form.set('source', new Blob([png(3)], { type: 'image/png' }), 'x.png');
    const url = `${world.at}/graph/v25.0/${page.id}/photos?access_token=${page.token}`;
    expect((await world.ask(url, { method: 'POST', body: form })).json).toEqual({ id: expect.any(String) });
    expect(await photo({ url: world.app.put('t', Buffer.from('text')) })).toMatchObject(refused(324, 2069019));
    expect(await photo({ url: `${world.app.url}/none` })).toMatchObject(refused(324));
    expect(await photo({})).toMatchObject(refused(324));
  });

  it('make stories, each call a new one', async () => {
    const { json } = await photo({ url: world.app.put('p', png()), published: false });
    const story = () => page.post('/photo_stories', { photo_id: json.id });
    expect((await story()).json).toEqual({ success: true, post_id: expect.any(String) });
    await story();
    const shown = { status: 'PUBLISHED', media_type: 'photo', media_id: json.id };
    expect(await page.list('/stories')).toMatchObject([shown, {}]);
    expect(await published()).toEqual([]);
  });
});

it('of a stranger, and of whoever shows the token in the body alone, no more than 16 KiB are taken', async () => {
  const post = async (message: string, token?: string, params = {}) => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
    const init = { method: 'POST', headers, body: JSON.stringify({ message, ...params }) };
    return (await world.ask(`${world.at}/graph/v25.0/${page.id}/feed`, init)).status;
  };
  const long = 'x'.repeat(20_000);
  expect([await post(long), await post(long, 'EAASguess')]).toEqual([413, 413]);
  expect(await post(long, undefined, { access_token: page.token })).toBe(413);
  expect(await post('short', undefined, { access_token: page.token })).toBe(200);
  expect(await post(long, page.token)).toBe(200);
});

describe('videos', () => {
  const video = (params: object) => page.post('/videos', params);
  const statusOf = async (id: string) => (await read(id, 'status,published,post_id')).json;

  it('given by address are processed, and switched on by id', async () => {
    const { json } = await video({ file_url: world.app.put('v', mp4()), description: 'film', published: false });
    const phases = { uploading_phase: { status: 'complete' }, publishing_phase: { status: 'not_started' } };
    expect((await statusOf(json.id)).status).toMatchObject({ video_status: 'processing', ...phases });
    expect((await statusOf(json.id)).status.video_status).toBe('ready');
    expect(await published()).toEqual([]);
    for (let turn = 0; turn < 2; turn += 1)
      expect((await page.post(json.id, { published: true })).json).toEqual(SUCCESS);
    const done = await statusOf(json.id);
    const publishing_phase = { status: 'complete', publish_status: 'published' };
    expect(done).toMatchObject({ published: true, status: { publishing_phase } });
    const shown = (await read(`${page.id}_${done.post_id}`, 'message,status_type')).json;
    expect(shown).toMatchObject({ message: 'film', status_type: 'added_video' });
    expect(await published()).toEqual(['film']);
    expect(await video({ file_url: `${world.app.url}/none` })).toMatchObject(refused(389));
    expect(await video({ file_url: world.app.put('t', Buffer.from('text')) })).toMatchObject(refused(6000));
  });

  it('become public when processing ends, with or without somebody who asks', async () => {
    await world.act('settings', { video_processing_ms: MINUTE, video_processing_polls: 3 });
    await video({ file_url: world.app.put('v', mp4()), description: 'film' });
    expect(await published()).toEqual([]);
    world.clock.move(2 * MINUTE);
    expect(await published()).toEqual(['film']);
  });

  it('are uploaded in pieces that are asked for, and a wrong offset says the right one', async () => {
    const bytes = mp4(5 * 1024 * 1024);
    const send = (form: Record<string, string | Blob>) => {
      const body = new FormData();
      for (const [name, value] of Object.entries(form)) body.set(name, value);
      const headers = { authorization: `Bearer ${page.token}` };
      return world.ask(`${world.at}/graph-video/v25.0/${page.id}/videos`, { method: 'POST', body, headers });
    };
    const opened = (await send({ upload_phase: 'start', file_size: String(bytes.length) })).json;
    expect(opened).toMatchObject({ start_offset: '0', end_offset: String(4 * 1024 * 1024) });
    const { upload_session_id } = opened;
    const transfer = (from: number, to: number) => {
      const piece = { start_offset: String(from), video_file_chunk: new Blob([bytes.subarray(from, to)]) };
      return send({ upload_phase: 'transfer', upload_session_id, ...piece });
    };
    const finish = (more = {}) => send({ upload_phase: 'finish', upload_session_id, ...more });
    const next = (await transfer(0, Number(opened.end_offset))).json;
    expect(next).toEqual({ start_offset: opened.end_offset, end_offset: String(bytes.length) });
    const error = { error_subcode: 1363037, error_data: next };
    expect(await transfer(0, 100)).toMatchObject({ status: 400, json: { error } });
    expect(await finish()).toMatchObject(refused(6000));
    await transfer(Number(next.start_offset), bytes.length);
    for (let turn = 0; turn < 2; turn += 1) expect((await finish({ description: 'pieces' })).json).toEqual(SUCCESS);
    await statusOf(opened.video_id);
    await statusOf(opened.video_id);
    expect(await published()).toEqual(['pieces']);
    expect((await world.list('videos'))[0].sha256).toBe(sha256(bytes));
  });
});

describe('reels and video stories', () => {
  const phase = (edge: string, params: object) => page.post(`/${edge}`, params);
  const start = async (edge = 'video_reels') => (await phase(edge, { upload_phase: 'start' })).json;
  const put = (url: string, headers: Record<string, string>, body?: Uint8Array) =>
    world.ask(url, {
      method: 'POST',
      headers: { authorization: `OAuth ${page.token}`, ...headers },
      ...(body && { body: body as never }),
    });

  it('cut off in the middle of their bytes are continued where the upload host says', async () => {
    const { video_id, upload_url } = await start();
    const bytes = mp4(3 * 1024 * 1024);
    const stop = new AbortController();
    const half = new ReadableStream({
      start: (body) => body.enqueue(bytes.subarray(0, bytes.length / 2)),
      pull: () => stop.abort(),
    });
    const file_size = String(bytes.length);
    const token = { authorization: `OAuth ${page.token}` };
    const headers = { offset: '0', file_size, ...token };
    const init = { method: 'POST', headers, body: half, duplex: 'half', signal: stop.signal };
    await expect(world.ask(upload_url, init as RequestInit)).rejects.toThrow();
    const { offset } = (await world.ask(upload_url, { headers: token })).json;
    const rest = await put(upload_url, { offset: String(offset), file_size }, bytes.subarray(offset));
    expect(rest.json).toEqual(SUCCESS);
    const whole = { id: video_id, received: bytes.length, sha256: sha256(bytes) };
    expect(await world.list('videos')).toMatchObject([whole]);
  });

  it.each(['video_reels', 'video_stories'])('%s go through three phases and make one post at most', async (edge) => {
    const { video_id, upload_url } = await start(edge);
    expect(upload_url).toBe(`${world.at}/rupload/video-upload/v25.0/${video_id}`);
    const end = { upload_phase: 'finish', video_id, video_state: 'PUBLISHED', description: 'reel' };
    expect(await phase(edge, end)).toMatchObject(refused(6000));
    const bytes = mp4(1000);
    const status = async () => (await read(video_id, 'status')).json.status;
    const putAt = (offset: number, part: Uint8Array) =>
      put(upload_url, { offset: String(offset), file_size: '1000' }, part);
    const failed = (debug_info: object) => ({ status: 400, json: { debug_info } });
    const half = await putAt(0, bytes.subarray(0, 400));
    expect(half).toMatchObject(failed({ type: 'PartialRequestError', retriable: true }));
    expect((await status()).uploading_phase).toMatchObject({ bytes_transferred: 400, status: 'in_progress' });
    expect((await putAt(500, bytes.subarray(500))).json).toMatchObject({ debug_info: { type: 'OffsetInvalidError' } });
    expect(await putAt(400, mp4(601))).toMatchObject(failed({ retriable: false }));
    expect((await putAt(400, bytes.subarray(400))).json).toEqual(SUCCESS);
    expect((await putAt(0, bytes)).json).toEqual(SUCCESS);
    const first = (await phase(edge, end)).json;
    expect(first).toEqual({ success: true, post_id: expect.any(String) });
    expect((await phase(edge, end)).json).toEqual(first);
    for (const phaseNow of ['in_progress', 'complete']) expect((await status()).publishing_phase.status).toBe(phaseNow);
    expect(await world.list('posts')).toHaveLength(1);
    expect(await page.list('/stories')).toHaveLength(edge === 'video_stories' ? 1 : 0);
    const { permalink_url } = (await read(`${page.id}_${first.post_id}`, 'permalink_url')).json;
    if (edge === 'video_reels') expect(permalink_url).toMatch(`/www/reel/${video_id}`);
  });

  it('take the file from its address, stay drafts, and want the OAuth scheme', async () => {
    const { video_id, upload_url } = await start();
    const file_url = world.app.put('v', mp4());
    const finish = (video_state: string) => phase('video_reels', { upload_phase: 'finish', video_id, video_state });
    expect(await put(upload_url, { authorization: `Bearer ${page.token}`, file_url })).toMatchObject(refused(190));
    const missing = await put(upload_url, { file_url: `${world.app.url}/none` });
    expect(missing.json).toMatchObject({ debug_info: { type: 'ProcessingFailedError' } });
    expect((await put(upload_url, { file_url })).json).toEqual(SUCCESS);
    expect((await finish('DRAFT')).json).toEqual(SUCCESS);
    await read(video_id, 'status');
    await read(video_id, 'status');
    expect(await world.list('posts')).toEqual([]);
    expect(await finish('SOON')).toMatchObject(refused(100));
    expect(await phase('video_reels', { upload_phase: 'start', video_file: 'x' })).toMatchObject({ status: 200 });
    expect(world.sandbox.requests().flatMap(({ violation }) => violation ?? [])).toEqual([
      'unknown parameters of POST page/video_reels: video_file',
    ]);
  });
});

describe('metrics', () => {
  it('count what happened, and retired ones are unknown', async () => {
    const { json } = await feed({ message: 'x', fields: 'id,permalink_url' });
    await world.act('react', { person: FRED, on: json.id, type: 'LOVE' });
    await world.ask(json.permalink_url);
    const insights = (metric: string) => page.get(`${json.id}/insights`, { metric });
    expect((await insights('post_media_view,post_reactions_by_type_total')).json.data).toMatchObject([
      { name: 'post_media_view', period: 'lifetime', values: [{ value: 1 }] },
      { values: [{ value: { love: 1 } }] },
    ]);
    for (const metric of ['post_impressions', 'post_impressions_unique', 'toString'])
      expect(await insights(metric)).toMatchObject(refused(100));
  });
});
