import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FRED, mp4, openFacebookWorld, png, refused } from '../../harness/worlds/twins/facebook.ts';
import type { FacebookWorld } from '../../harness/worlds/twins/facebook.ts';

const MINUTE = 60_000;
const DRAFT = { published: false, unpublished_content_type: 'DRAFT' };

let world: FacebookWorld;
let page: { id: string; token: string; user: string };
beforeEach(async () => {
  world = await openFacebookWorld();
  page = await world.ready();
  world.app.clear();
});
afterEach(() => world.close());

const feed = (params: object) => world.post(`${page.id}/feed`, page.token, params as never);
const read = (id: string, fields: string) => world.get(id, page.token, { fields });
const published = async (params = {}) =>
  (await world.get(`${page.id}/published_posts`, page.token, { fields: 'id,message', ...params })).json.data.map(
    (one: any) => one.message,
  );

describe('a post', () => {
  it('of text or link is public at once, has a page of its own, and is reported to the app', async () => {
    const { status, json } = await feed({
      message: 'Hello é',
      link: 'https://example.com/a',
      fields: 'id,permalink_url',
    });
    expect(status).toBe(200);
    expect(json.id).toMatch(new RegExp(`^${page.id}_\\d+$`));
    const shown = await world.ask(json.permalink_url);
    expect(shown.text).toContain('Hello é');
    await world.sandbox.settle();
    expect(world.app.updates()).toMatchObject([
      {
        field: 'feed',
        value: {
          item: 'share',
          verb: 'add',
          post_id: json.id,
          from: { id: page.id },
          message: 'Hello é',
          published: 1,
        },
      },
    ]);
    const fields =
      'message,created_time,is_published,status_type,application,attachments{media_type,url},reactions.limit(0).summary(true),comments.limit(0).summary(true)';
    const post = (await read(json.id, fields)).json;
    expect(post).toMatchObject({
      is_published: true,
      status_type: 'shared_story',
      application: { id: 'sandbox' },
      attachments: { data: [{ media_type: 'link', url: 'https://example.com/a' }] },
      comments: { data: [], summary: { total_count: 0 } },
      reactions: { data: [], summary: { total_count: 0 } },
    });
    expect(post.created_time).toBe('2026-11-21T12:00:00+0000');
    expect(await read(json.id, 'link')).toMatchObject(refused(12));
  });

  it('as a draft is invisible until it is switched on by id, however often', async () => {
    const { json } = await feed({ message: 'later', ...DRAFT });
    expect(await published()).toEqual([]);
    expect((await read(json.id, 'is_published,permalink_url')).json).toMatchObject({ is_published: false });
    expect((await world.ask((await read(json.id, 'permalink_url')).json.permalink_url)).status).toBe(404);
    await world.sandbox.settle();
    expect(world.app.updates()).toEqual([]);
    for (let turn = 0; turn < 3; turn += 1)
      expect((await world.post(json.id, page.token, { is_published: true })).json).toEqual({ success: true });
    expect(await published()).toEqual(['later']);
    await world.sandbox.settle();
    expect(world.app.updates()).toHaveLength(1);
    const [{ versions }] = world.sandbox.posts('facebook', 'olivia.sandbox.test') as any;
    expect(versions.map(({ action, record }: any) => [action, record.is_published])).toEqual([
      ['create', false],
      ['update', true],
    ]);
    expect(await world.post(json.id, page.token, { is_published: false })).toMatchObject(refused(100));
  });

  it('cannot be switched on where drafts are off, and its publication can be ordered to fail either side', async () => {
    const { json } = await feed({ message: 'later', ...DRAFT });
    await world.act('settings', { drafts: false });
    expect(await world.post(json.id, page.token, { is_published: true })).toMatchObject(refused(100));
    await world.act('settings', { drafts: true });
    const order = { method: 'POST post', code: 1, status: 500, is_transient: true };
    await world.act('order', { ...order, when: 'before' });
    expect(await world.post(json.id, page.token, { is_published: true })).toMatchObject({
      status: 500,
      json: { error: { code: 1, is_transient: true } },
    });
    expect((await read(json.id, 'is_published')).json.is_published).toBe(false);
    await world.act('order', { ...order, when: 'after' });
    expect((await world.post(json.id, page.token, { is_published: true })).status).toBe(500);
    expect((await read(json.id, 'is_published')).json.is_published).toBe(true);
  });

  it('is not found and not listed while the readers lag behind', async () => {
    await world.act('settings', { read_lag_ms: MINUTE, list_lag_ms: 2 * MINUTE });
    const { json } = await feed({ message: 'fresh', ...DRAFT });
    expect(await read(json.id, 'id')).toMatchObject(refused(100, 33));
    expect((await world.post(json.id, page.token, { is_published: true })).status).toBe(200);
    world.clock.move(MINUTE);
    expect((await read(json.id, 'is_published')).json.is_published).toBe(true);
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
    const at = (minutes: number) => Math.floor((world.clock.now() + minutes * MINUTE) / 1000);
    for (const minutes of [5, 31 * 24 * 60])
      expect(await feed({ message: 'x', published: false, scheduled_publish_time: at(minutes) })).toMatchObject(
        refused(100),
      );
    expect(await feed({ message: 'x', scheduled_publish_time: at(20) })).toMatchObject(refused(100));
    expect((await feed({ message: 'x', published: false, scheduled_publish_time: at(20) })).status).toBe(200);
    expect((await world.get(`${page.id}/scheduled_posts`, page.token)).json.data).toHaveLength(1);
    world.clock.move(20 * MINUTE);
    expect(await published()).toEqual(['x']);
    expect((await world.get(`${page.id}/scheduled_posts`, page.token)).json.data).toEqual([]);
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
    await world.act('set_tasks', { person: 'olivia.sandbox.test', page: page.id, tasks: 'ANALYZE' });
    expect(await feed(params)).toMatchObject(refused(200, undefined, 403));
  });

  it('is changed and deleted by the app that made it', async () => {
    const { json } = await feed({ message: 'one' });
    expect((await world.post(json.id, page.token, { message: 'two' })).json).toEqual({ success: true });
    expect(await published()).toEqual(['two']);
    const foreign = await world.act('page_post', { page: page.id, message: 'by hand' });
    expect(await world.post(foreign.id, page.token, { message: 'x' })).toMatchObject(refused(200, undefined, 403));
    expect((await read(foreign.id, 'application')).json.application).toBeUndefined();
    expect((await world.graph('DELETE', json.id, {}, page.token)).json).toEqual({ success: true });
    expect(await world.graph('DELETE', json.id, {}, page.token)).toMatchObject(refused(100, 33));
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
    const first = (await world.get(`${page.id}/published_posts`, page.token, { fields: 'message', limit: 2 })).json;
    expect(first.data.map((one: any) => one.message)).toEqual(['c', 'b']);
    await feed({ message: 'd' });
    const second = (await world.ask(first.paging.next)).json;
    expect(second.data.map((one: any) => one.message)).toEqual(['a']);
    expect(second.paging.next).toBeUndefined();
    const since = Math.floor(world.clock.now() / 1000) - 1;
    expect(await published({ since })).toEqual(['d', 'c']);
    expect(await world.get(`${page.id}/published_posts`, page.token, { limit: 'x' })).toMatchObject(refused(100));
    await world.act('visitor_post', { person: FRED, page: page.id, message: 'me too' });
    expect(await published()).not.toContain('me too');
    const all = (await world.get(`${page.id}/feed`, page.token, { fields: 'message,from' })).json.data;
    expect(all[0]).toMatchObject({ message: 'me too', from: { name: 'Fred Follower' } });
  });
});

describe('photos', () => {
  const photo = (params: object) => world.post(`${page.id}/photos`, page.token, params as never);

  it('wait unpublished, are attached, and are used up by it', async () => {
    const ids = [];
    for (const at of [1, 2])
      ids.push(
        (await photo({ url: world.app.put(`p${at}`, png(at)), published: false, alt_text_custom: `alt ${at}` })).json
          .id,
      );
    expect((await world.get(`${page.id}/photos`, page.token, { type: 'uploaded' })).json.data).toEqual([]);
    const attached_media = ids.map((media_fbid) => ({ media_fbid }));
    const { json } = await feed({ message: 'two', attached_media, ...DRAFT });
    expect((await world.post(json.id, page.token, { is_published: true })).status).toBe(200);
    const { attachments } = (await read(json.id, 'attachments{media_type,subattachments}')).json;
    expect(attachments.data[0]).toMatchObject({
      media_type: 'album',
      subattachments: { data: [{ target: { id: ids[0] } }, { target: { id: ids[1] } }] },
    });
    expect(
      (await world.ask(attachments.data[0].subattachments.data[0].media.image.src)).headers.get('content-type'),
    ).toBe('image/png');
    expect(await feed({ message: 'again', attached_media })).toMatchObject(refused(100, 1366051));
    expect((await world.ask((await read(json.id, 'permalink_url')).json.permalink_url)).text).toContain('alt="alt 2"');
  });

  it('are posted directly by address or by upload, and refused when they are no picture', async () => {
    const { json } = await photo({ url: world.app.put('p', png()), caption: 'one' });
    expect((await read(json.post_id, 'message,status_type')).json).toMatchObject({
      message: 'one',
      status_type: 'added_photos',
    });
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
    const story = () => world.post(`${page.id}/photo_stories`, page.token, { photo_id: json.id });
    expect((await story()).json).toEqual({ success: true, post_id: expect.any(String) });
    await story();
    const { data } = (await world.get(`${page.id}/stories`, page.token)).json;
    expect(data).toHaveLength(2);
    expect(data[0]).toMatchObject({ status: 'PUBLISHED', media_type: 'photo', media_id: json.id });
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
  const video = (params: object) => world.post(`${page.id}/videos`, page.token, params as never);
  const statusOf = async (id: string) => (await read(id, 'status,published,post_id')).json;

  it('given by address are processed, and switched on by id', async () => {
    const { json } = await video({ file_url: world.app.put('v', mp4()), description: 'film', published: false });
    expect((await statusOf(json.id)).status).toMatchObject({
      video_status: 'processing',
      uploading_phase: { status: 'complete' },
      publishing_phase: { status: 'not_started' },
    });
    expect((await statusOf(json.id)).status.video_status).toBe('ready');
    expect(await published()).toEqual([]);
    for (let turn = 0; turn < 2; turn += 1)
      expect((await world.post(json.id, page.token, { published: true })).json).toEqual({ success: true });
    const done = await statusOf(json.id);
    expect(done).toMatchObject({
      published: true,
      status: { publishing_phase: { status: 'complete', publish_status: 'published' } },
    });
    expect((await read(`${page.id}_${done.post_id}`, 'message,status_type')).json).toMatchObject({
      message: 'film',
      status_type: 'added_video',
    });
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
      return world.ask(`${world.at}/graph-video/v25.0/${page.id}/videos`, {
        method: 'POST',
        body,
        headers: { authorization: `Bearer ${page.token}` },
      });
    };
    const opened = (await send({ upload_phase: 'start', file_size: String(bytes.length) })).json;
    expect(opened).toMatchObject({ start_offset: '0', end_offset: String(4 * 1024 * 1024) });
    const { upload_session_id } = opened;
    const transfer = (from: number, to: number) =>
      send({
        upload_phase: 'transfer',
        upload_session_id,
        start_offset: String(from),
        video_file_chunk: new Blob([bytes.subarray(from, to)]),
      });
    const next = (await transfer(0, Number(opened.end_offset))).json;
    expect(next).toEqual({ start_offset: opened.end_offset, end_offset: String(bytes.length) });
    expect(await transfer(0, 100)).toMatchObject({
      status: 400,
      json: { error: { error_subcode: 1363037, error_data: next } },
    });
    expect(await send({ upload_phase: 'finish', upload_session_id })).toMatchObject(refused(6000));
    await transfer(Number(next.start_offset), bytes.length);
    for (let turn = 0; turn < 2; turn += 1)
      expect((await send({ upload_phase: 'finish', upload_session_id, description: 'pieces' })).json).toEqual({
        success: true,
      });
    await statusOf(opened.video_id);
    await statusOf(opened.video_id);
    expect(await published()).toEqual(['pieces']);
    expect((await world.list('videos'))[0].sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
  });
});

describe('reels and video stories', () => {
  const phase = (edge: string, params: object) => world.post(`${page.id}/${edge}`, page.token, params as never);
  const put = (url: string, headers: Record<string, string>, body?: Uint8Array) =>
    world.ask(url, {
      method: 'POST',
      headers: { authorization: `OAuth ${page.token}`, ...headers },
      ...(body && { body: body as never }),
    });

  it('cut off in the middle of their bytes are continued where the upload host says', async () => {
    const { video_id, upload_url } = (await phase('video_reels', { upload_phase: 'start' })).json;
    const bytes = mp4(3 * 1024 * 1024);
    const stop = new AbortController();
    const half = new ReadableStream({
      start: (body) => body.enqueue(bytes.subarray(0, bytes.length / 2)),
      pull: () => stop.abort(),
    });
    const headers = { offset: '0', file_size: String(bytes.length), authorization: `OAuth ${page.token}` };
    const init = { method: 'POST', headers, body: half, duplex: 'half', signal: stop.signal };
    await expect(world.ask(upload_url, init as RequestInit)).rejects.toThrow();
    const token = { authorization: `OAuth ${page.token}` };
    const { offset } = (await world.ask(upload_url, { headers: token })).json;
    const rest = await put(
      upload_url,
      { offset: String(offset), file_size: headers.file_size },
      bytes.subarray(offset),
    );
    expect(rest.json).toEqual({ success: true });
    expect(await world.list('videos')).toMatchObject([
      { id: video_id, received: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') },
    ]);
  });

  it.each(['video_reels', 'video_stories'])('%s go through three phases and make one post at most', async (edge) => {
    const { video_id, upload_url } = (await phase(edge, { upload_phase: 'start' })).json;
    expect(upload_url).toBe(`${world.at}/rupload/video-upload/v25.0/${video_id}`);
    const end = { upload_phase: 'finish', video_id, video_state: 'PUBLISHED', description: 'reel' };
    expect(await phase(edge, end)).toMatchObject(refused(6000));
    const bytes = mp4(1000);
    const half = await put(upload_url, { offset: '0', file_size: '1000' }, bytes.subarray(0, 400));
    expect(half).toMatchObject({ status: 400, json: { debug_info: { type: 'PartialRequestError', retriable: true } } });
    expect((await read(video_id, 'status')).json.status.uploading_phase).toMatchObject({
      bytes_transferred: 400,
      status: 'in_progress',
    });
    expect(await put(upload_url, { offset: '500', file_size: '1000' }, bytes.subarray(500))).toMatchObject({
      json: { debug_info: { type: 'OffsetInvalidError' } },
    });
    expect(await put(upload_url, { offset: '400', file_size: '1000' }, mp4(601))).toMatchObject({
      status: 400,
      json: { debug_info: { retriable: false } },
    });
    expect((await put(upload_url, { offset: '400', file_size: '1000' }, bytes.subarray(400))).json).toEqual({
      success: true,
    });
    expect((await put(upload_url, { offset: '0', file_size: '1000' }, bytes)).json).toEqual({ success: true });
    const first = (await phase(edge, end)).json;
    expect(first).toEqual({ success: true, post_id: expect.any(String) });
    expect((await phase(edge, end)).json).toEqual(first);
    expect((await read(video_id, 'status')).json.status.publishing_phase.status).toBe('in_progress');
    expect((await read(video_id, 'status')).json.status.publishing_phase.status).toBe('complete');
    expect(await world.list('posts')).toHaveLength(1);
    const stories = (await world.get(`${page.id}/stories`, page.token)).json.data;
    expect(stories).toHaveLength(edge === 'video_stories' ? 1 : 0);
    if (edge === 'video_reels')
      expect((await read(`${page.id}_${first.post_id}`, 'permalink_url')).json.permalink_url).toMatch(
        `/www/reel/${video_id}`,
      );
  });

  it('take the file from its address, stay drafts, and want the OAuth scheme', async () => {
    const { video_id, upload_url } = (await phase('video_reels', { upload_phase: 'start' })).json;
    expect(
      await put(upload_url, { authorization: `Bearer ${page.token}`, file_url: world.app.put('v', mp4()) }),
    ).toMatchObject(refused(190));
    expect(await put(upload_url, { file_url: `${world.app.url}/none` })).toMatchObject({
      json: { debug_info: { type: 'ProcessingFailedError' } },
    });
    expect((await put(upload_url, { file_url: world.app.put('v', mp4()) })).json).toEqual({ success: true });
    expect((await phase('video_reels', { upload_phase: 'finish', video_id, video_state: 'DRAFT' })).json).toEqual({
      success: true,
    });
    await read(video_id, 'status');
    await read(video_id, 'status');
    expect(await world.list('posts')).toEqual([]);
    expect(await phase('video_reels', { upload_phase: 'finish', video_id, video_state: 'SOON' })).toMatchObject(
      refused(100),
    );
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
    const insights = (path: string, metric: string, more = {}) =>
      world.get(`${path}/insights`, page.token, { metric, ...more });
    expect((await insights(json.id, 'post_media_view,post_reactions_by_type_total')).json.data).toMatchObject([
      { name: 'post_media_view', period: 'lifetime', values: [{ value: 1 }] },
      { values: [{ value: { love: 1 } }] },
    ]);
    expect(
      (await insights(page.id, 'page_post_engagements,page_follows', { period: 'day' })).json.data[0].values,
    ).toHaveLength(2);
    for (const metric of ['page_impressions', 'post_impressions_unique', 'toString'])
      expect(await insights(page.id, metric)).toMatchObject(refused(100));
    expect(await insights(page.id, 'page_follows', { period: 'year' })).toMatchObject(refused(100));
  });
});
