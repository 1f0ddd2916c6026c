import { SECOND, MINUTE, HOUR } from '#kernel/clock.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { jpeg, mp4, pdf } from '../../harness/media-samples.ts';
import { FRED, OLIVIA, openTikTokWorld, PIA, SAM, type TikTokWorld } from '../../harness/worlds/twins/tiktok.ts';

const MB = 1024 * 1024;
const VIDEO_FIELDS = 'id,create_time,share_url,title,video_description,like_count,comment_count,view_count';

let world: TikTokWorld;
beforeAll(async () => {
  world = await openTikTokWorld();
});
beforeEach(() => world.reset());
afterAll(() => world.close());

const film = mp4();
/** A film of so many bytes: what follows its end means nothing. */
const long = (bytes: number): Buffer => Buffer.concat([film, Buffer.alloc(bytes - film.length, 7)]);
const init = (token: string, source: object, info: object = {}) =>
  world.call('/v2/post/publish/video/init/', token, {
    post_info: { privacy_level: 'PUBLIC_TO_EVERYONE', title: 'Beans', ...info },
    source_info: source,
  });
const upload = (video_size: number, chunk_size = video_size, total_chunk_count = 1) => ({
  source: 'FILE_UPLOAD',
  video_size,
  chunk_size,
  total_chunk_count,
});
const photos = (token: string, photo_images: string[], info: object = {}, more: object = {}) =>
  world.call('/v2/post/publish/content/init/', token, {
    media_type: 'PHOTO',
    post_mode: 'DIRECT_POST',
    post_info: { privacy_level: 'PUBLIC_TO_EVERYONE', title: 'Cups', description: 'Two of them', ...info },
    source_info: { source: 'PULL_FROM_URL', photo_images, photo_cover_index: 0 },
    ...more,
  });
const list = (token: string, body: Record<string, number> = {}) =>
  world.call(`/v2/video/list/?fields=${VIDEO_FIELDS}`, token, body);

describe('a video', () => {
  it('goes up in one part, is public after moderation, and has its id then, as a number', async () => {
    const token = await world.login();
    const id = await world.post(token, {}, film);
    expect(id).toMatch(/^v_pub_file~v2-1\.\d{19}$/);
    expect(await world.status(token, id)).toEqual({
      status: 'PROCESSING_UPLOAD',
      publicaly_available_post_id: [],
      uploaded_bytes: film.length,
    });
    world.clock.move(2 * SECOND);
    expect(await world.status(token, id)).toMatchObject({
      status: 'PUBLISH_COMPLETE',
      publicaly_available_post_id: [],
    });
    expect((await list(token)).json.data).toMatchObject({ videos: [], has_more: false });
    world.clock.move(MINUTE);
    const { text } = await world.call('/v2/post/publish/status/fetch/', token, { publish_id: id });
    const [, post] = /"publicaly_available_post_id":\[(\d{19})\]/.exec(text)!;
    const [video] = (await list(token)).json.data.videos;
    expect(video).toMatchObject({ id: post, title: 'Beans', like_count: 0, view_count: 0 });
    const page = await world.fetch(video.share_url);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('Beans')]);
    expect(world.events().map(({ event, content }) => [event, content])).toEqual([
      ['post.publish.complete', { publish_id: id, publish_type: 'DIRECT_PUBLISH' }],
      ['post.publish.publicly_available', { publish_id: id, publish_type: 'DIRECT_PUBLISH', post_id: post }],
    ]);
    await world.act('comment', { person: FRED, post: post!, text: 'Lovely' });
    await world.act('like', { person: FRED, post: post! });
    const query = await world.call(`/v2/video/query/?fields=${VIDEO_FIELDS}`, token, {
      filters: { video_ids: [post] },
    });
    expect(query.json.data.videos).toMatchObject([{ like_count: 1, comment_count: 1, view_count: 1 }]);
    expect((await world.fetch(video.share_url)).text).toContain('Lovely');
  });

  it('goes up in parts of five megabytes and more, in strict order, each of them once', async () => {
    const token = await world.login();
    const bytes = long(16 * MB);
    const begun = (await init(token, upload(16 * MB, 5 * MB, 3))).json.data;
    const put = (from: number, end: number, headers?: Record<string, string>) =>
      world.put(begun.upload_url, bytes, from, end, headers);
    const [one, two] = [5 * MB, 10 * MB];
    expect((await put(one, two)).status).toBe(416);
    const first = await put(0, one);
    expect([first.status, first.headers.get('content-range')]).toEqual([206, `bytes 0-${one - 1}/${16 * MB}`]);
    expect((await world.status(token, begun.publish_id)).uploaded_bytes).toBe(one);
    expect((await put(0, one)).status).toBe(206);
    expect((await put(one, two + 1)).status).toBe(416);
    expect((await put(one, two, { 'content-range': `bytes ${one}-${two - 1}/99` })).status).toBe(416);
    expect((await put(one, two, { 'content-range': '' })).status).toBe(416);
    expect((await put(one, two, { 'content-type': 'video/avi' })).status).toBe(400);
    expect((await put(one, two)).status).toBe(206);
    expect((await put(0, one)).status).toBe(416);
    await world.act('settings', { upload_refuses_repeats: true });
    expect((await put(one, two)).status).toBe(416);
    expect((await put(two, 16 * MB)).status).toBe(201);
    world.clock.move(2 * SECOND);
    expect(await world.status(token, begun.publish_id)).toMatchObject({ status: 'PUBLISH_COMPLETE' });
    const [{ blobs }] = await world.list('posts');
    expect((await world.fetch(`${world.at}/cdn/${blobs[0]}`)).headers.get('content-length')).toBe(String(16 * MB));
    const old = (await init(token, upload(MB))).json.data.upload_url;
    expect((await world.put(`${old}x`, bytes, 0, MB)).status).toBe(403);
    world.clock.move(HOUR);
    expect((await world.put(old, bytes.subarray(0, MB), 0, MB)).status).toBe(403);
  });

  it.each([
    [MB, MB, 1, 200],
    [MB, MB, 2, 400],
    [MB, MB / 2, 2, 400],
    [50_000_123, 10_000_000, 5, 200],
    [50_000_123, 10_000_000, 6, 400],
    [50_000_123, 50_000_123, 1, 200],
    [60 * MB, 5 * MB, 12, 200],
    [60 * MB, 4 * MB, 15, 400],
    [90 * MB, 90 * MB, 1, 400],
    [120_000_000, 64_000_000, 1, 200],
    [130 * MB, 65 * MB, 2, 400],
    [4097 * MB, 64_000_000, 67, 400],
  ])('of %i bytes in parts of %i, %i of them, is answered with %i', async (size, chunk, count, status) => {
    expect((await init(await world.login(), upload(size, chunk, count))).status).toBe(status);
    world.clock.move(MINUTE);
  });

  it('is never given an id where it is not for everybody', async () => {
    const token = await world.login();
    const id = await world.post(token, { privacy_level: 'SELF_ONLY' }, film);
    world.clock.move(2 * SECOND);
    world.clock.move(24 * HOUR);
    const fresh = await world.login();
    expect(await world.status(fresh, id)).toMatchObject({
      status: 'PUBLISH_COMPLETE',
      publicaly_available_post_id: [],
    });
    expect((await list(fresh)).json.data.videos).toEqual([]);
    expect(world.sandbox.posts('tiktok', OLIVIA)).toMatchObject([{ exists: true, text: 'Beans' }]);
    const [{ link }] = await world.list('posts');
    expect((await world.fetch(link)).status).toBe(404);
    expect(world.events().map(({ event }) => event)).toEqual(['post.publish.complete']);
  });

  it('may have its id an hour later, as a text, after many questions, and be taken down', async () => {
    const token = await world.login();
    await world.act('settings', { moderation_ms: HOUR, text_ids: true, polls: 2 });
    const id = await world.post(token, {}, film);
    world.clock.move(2 * SECOND);
    const states = [];
    for (let n = 0; n < 3; n += 1) states.push((await world.status(token, id)).status);
    expect(states).toEqual(['PROCESSING_UPLOAD', 'PROCESSING_UPLOAD', 'PUBLISH_COMPLETE']);
    world.clock.move(HOUR);
    const [post] = (await world.status(token, id)).publicaly_available_post_id;
    expect(post).toMatch(/^7\d{18}$/);
    await world.act('take_down', { post });
    expect(world.events().at(-1)).toMatchObject({
      event: 'post.publish.no_longer_publicaly_available',
      content: { publish_id: id, post_id: post },
    });
    expect((await list(token)).json.data.videos).toEqual([]);
  });

  it('fails for what it is, and for reasons of TikTok', async () => {
    const token = await world.login();
    const wrong = await world.post(token, {}, pdf);
    world.clock.move(2 * SECOND);
    expect(await world.status(token, wrong)).toMatchObject({
      status: 'FAILED',
      fail_reason: 'file_format_check_failed',
    });
    await world.act('settings', { publish_failure: 'duration_check_failed' });
    const id = await world.post(token, {}, film);
    world.clock.move(2 * SECOND);
    expect(await world.status(token, id)).toMatchObject({ status: 'FAILED', fail_reason: 'duration_check_failed' });
    expect(world.events().at(-1)).toMatchObject({
      event: 'post.publish.failed',
      content: { publish_id: id, reason: 'duration_check_failed' },
    });
    expect(await world.list('posts')).toEqual([]);
  });

  it('is fetched from an address that is proved to be the app’s own, and from no other', async () => {
    const token = await world.login();
    const pull = (video_url: string) => init(token, { source: 'PULL_FROM_URL', video_url });
    const { publish_id } = (await pull(world.app.put('a.mp4', film, 'video/mp4'))).json.data;
    expect(publish_id).toMatch(/^v_pub_url/);
    expect(await world.status(token, publish_id)).toMatchObject({
      status: 'PROCESSING_DOWNLOAD',
      downloaded_bytes: film.length,
    });
    world.clock.move(2 * SECOND);
    expect(await world.status(token, publish_id)).toMatchObject({ status: 'PUBLISH_COMPLETE' });
    const gone = (await pull(`${world.app.url}/none.mp4`)).json.data.publish_id;
    expect(await world.status(token, gone)).toMatchObject({ status: 'FAILED', fail_reason: 'video_pull_failed' });
    const foreign = await pull('https://files.example.com/a.mp4');
    expect([foreign.status, foreign.json.error.code]).toEqual([403, 'url_ownership_unverified']);
    await world.act('settings', { verified: 'https://nowhere.example.com/' });
    expect((await pull(`${world.app.url}/a.mp4`)).status).toBe(403);
    world.app.put('tiktokabc.txt', Buffer.from('tiktok-developers-site-verification=wrong'));
    await expect(world.act('verify', { prefix: `${world.app.url}/`, signature: 'abc' })).rejects.toThrow('404');
    world.app.put('tiktokabc.txt', Buffer.from('tiktok-developers-site-verification=abc'));
    await world.act('verify', { prefix: `${world.app.url}/`, signature: 'abc' });
    expect((await pull(`${world.app.url}/a.mp4`)).status).toBe(200);
  });

  it('may be a draft, of which five wait, and which its creator posts', async () => {
    const token = await world.login();
    const draft = () => world.call('/v2/post/publish/inbox/video/init/', token, { source_info: upload(film.length) });
    const { publish_id, upload_url } = (await draft()).json.data;
    expect((await world.put(upload_url, film, 0, film.length)).status).toBe(201);
    world.clock.move(2 * SECOND);
    expect(await world.status(token, publish_id)).toMatchObject({ status: 'SEND_TO_USER_INBOX' });
    for (let n = 0; n < 4; n += 1) await draft();
    world.clock.move(MINUTE);
    const sixth = await draft();
    expect([sixth.status, sixth.json.error.code]).toEqual([403, 'spam_risk_too_many_pending_share']);
    await world.act('post_draft', { draft: publish_id, text: 'By hand', privacy: 'PUBLIC_TO_EVERYONE' });
    world.clock.move(MINUTE);
    expect((await list(token)).json.data.videos).toMatchObject([{ title: 'By hand' }]);
    expect(world.events().map(({ event, content }) => [event, content.publish_type])).toEqual([
      ['post.publish.inbox_delivered', 'INBOX_SHARE'],
      ['post.publish.complete', 'INBOX_SHARE'],
      ['post.publish.publicly_available', 'INBOX_SHARE'],
    ]);
    expect((await draft()).status).toBe(200);
  });
});

describe('what a creator allows', () => {
  const info = async (token: string) => (await world.call('/v2/post/publish/creator_info/query/', token, {})).json.data;

  it('is asked for before each post, and held to', async () => {
    const [olivia, pia] = [await world.login(), await world.login(PIA)];
    expect(await info(olivia)).toMatchObject({
      creator_username: OLIVIA,
      privacy_level_options: ['PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY'],
      comment_disabled: false,
      duet_disabled: false,
      max_video_post_duration_sec: 600,
    });
    expect(await info(pia)).toMatchObject({
      privacy_level_options: ['FOLLOWER_OF_CREATOR', 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY'],
      duet_disabled: true,
      stitch_disabled: true,
      max_video_post_duration_sec: 60,
    });
    const refused = await init(pia, upload(MB));
    expect([refused.status, refused.json.error.code]).toEqual([403, 'privacy_level_option_mismatch']);
    expect((await init(olivia, upload(MB))).status).toBe(200);
    expect((await init(olivia, upload(MB))).status).toBe(200);
    const inits = world.sandbox.requests().filter(({ method }) => method === 'POST /v2/post/publish/video/init/');
    expect(inits.slice(-2).map(({ violation }) => violation)).toEqual([
      undefined,
      expect.stringContaining('creator_info'),
    ]);
    await world.act('allow', { creator: OLIVIA, private: true, forbids: 'comment', longest: 30 });
    expect(await info(olivia)).toMatchObject({ comment_disabled: true, max_video_post_duration_sec: 30 });
  });

  it.each([
    [{ privacy_level: undefined }, 400, 'invalid_params'],
    [{ privacy_level: 'EVERYONE' }, 400, 'invalid_params'],
    [{ title: 'a'.repeat(2201) }, 400, 'invalid_params'],
    [{ title: '😀'.repeat(1101) }, 400, 'invalid_params'],
    [{ privacy_level: 'SELF_ONLY', brand_content_toggle: true }, 400, 'invalid_params'],
    [{ disable_duet: 'yes' }, 400, 'invalid_params'],
    [{ title: '😀'.repeat(1100), disable_comment: true, is_aigc: true }, 200, 'ok'],
  ])('and a post with %o is answered with %i', async (more, status, code) => {
    const reply = await init(await world.login(), upload(MB), more);
    expect([reply.status, reply.json.error.code]).toEqual([status, code]);
    world.clock.move(MINUTE);
  });

  it('is that the app posts for them alone until it is audited, and fifteen times a day', async () => {
    const token = await world.login();
    await world.act('settings', { unaudited: true });
    const early = await init(token, upload(MB));
    expect([early.status, early.json.error.code]).toEqual([403, 'unaudited_client_can_only_post_to_private_accounts']);
    expect((await init(token, upload(MB), { privacy_level: 'SELF_ONLY' })).status).toBe(200);
    await world.act('settings', { users_a_day: 1 });
    const capped = await init(await world.login(SAM), upload(MB));
    expect([capped.status, capped.json.error.code]).toEqual([403, 'reached_active_user_cap']);
    await world.act('settings', { users_a_day: 0, unaudited: false, posts_a_day: 2 });
    expect((await init(token, upload(MB))).status).toBe(200);
    const late = await init(token, upload(MB));
    expect([late.status, late.json.error.code]).toEqual([403, 'spam_risk_too_many_posts']);
  });
});

describe('photos', () => {
  it('are fetched, one to thirty-five of them, and have a title and a text', async () => {
    const token = await world.login();
    const urls = ['a.jpg', 'b.jpg'].map((name) => world.app.put(name, jpeg(4, 5), 'image/jpeg'));
    const { publish_id } = (await photos(token, urls)).json.data;
    expect(publish_id).toMatch(/^p_pub_url/);
    world.clock.move(2 * SECOND);
    world.clock.move(MINUTE);
    const [photo] = (await list(token)).json.data.videos;
    expect(photo).toMatchObject({ title: 'Cups', video_description: 'Two of them' });
    expect(photo.share_url).toMatch(/\/@olivia\.sandbox\.test\/photo\/\d{19}$/);
    expect((await world.fetch(photo.share_url)).text.match(/<img/g)).toHaveLength(2);
  });

  it('are refused where they are wrong', async () => {
    const token = await world.login();
    const url = world.app.put('a.jpg', jpeg(4, 5), 'image/jpeg');
    const wrong: [string[], object, object][] = [
      [[], {}, {}],
      [Array.from({ length: 36 }, () => url), {}, {}],
      [[url], { title: 'a'.repeat(91) }, {}],
      [[url], { description: 'a'.repeat(4001) }, {}],
      [[url], {}, { media_type: 'POEM' }],
      [[url], {}, { post_mode: undefined }],
      [[url], {}, { source_info: { source: 'PULL_FROM_URL', photo_images: [url], photo_cover_index: 1 } }],
      [[url], {}, { source_info: { source: 'FILE_UPLOAD', photo_images: [url], photo_cover_index: 0 } }],
    ];
    for (const [urls, info, more] of wrong) {
      world.clock.move(MINUTE);
      expect([more, (await photos(token, urls, info, more)).json.error.code]).toEqual([more, 'invalid_params']);
    }
    world.clock.move(MINUTE);
    const { publish_id } = (await photos(token, [world.app.put('a.pdf', pdf)])).json.data;
    world.clock.move(2 * SECOND);
    expect(await world.status(token, publish_id)).toMatchObject({ fail_reason: 'file_format_check_failed' });
  });
});

describe('reading', () => {
  it('asks for fields, and for pages of twenty at most', async () => {
    const token = await world.login();
    for (let n = 0; n < 3; n += 1) await world.act('post', { creator: OLIVIA, text: `Number ${n}` });
    const first = (await list(token, { max_count: 2 })).json.data;
    expect(first).toMatchObject({ videos: [{ title: 'Number 2' }, { title: 'Number 1' }], has_more: true });
    const rest = (await list(token, { max_count: 2, cursor: first.cursor })).json.data;
    expect(rest).toMatchObject({ videos: [{ title: 'Number 0' }], has_more: false });
    for (const [path, body] of [
      ['/v2/video/list/', {}],
      ['/v2/video/list/?fields=id,colour', {}],
      ['/v2/video/list/?fields=id', { max_count: 21 }],
      ['/v2/user/info/', undefined],
      ['/v2/user/info/?fields=shoe_size', undefined],
      ['/v2/video/query/?fields=id', { filters: { video_ids: [] } }],
    ] as const)
      expect([path, (await world.call(path, token, body)).json.error.code]).toEqual([path, 'invalid_params']);
    expect((await world.call('/v2/video/list?fields=id', token, {})).status).toBe(404);
    const { user } = (await world.call('/v2/user/info/?fields=open_id,display_name,video_count', token)).json.data;
    expect(user).toEqual({ open_id: expect.stringMatching(/^-000/), display_name: 'Harbour Coffee', video_count: 3 });
  });
});
