import { SECOND } from '#kernel/clock.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { mp4, pdf, png } from '../../harness/media-samples.ts';
import { OLIVIA, openZaloWorld, SAM, type ZaloWorld } from '../../harness/worlds/twins/zalo.ts';

let world: ZaloWorld;
let photo_url: string;
beforeAll(async () => {
  world = await openZaloWorld();
  photo_url = world.app.put('cover.png', png());
});
beforeEach(() => world.sandbox.reset());
afterAll(() => world.close());

const article = (more: object = {}) => ({
  type: 'normal',
  title: 'New beans',
  author: 'Olivia',
  cover: { cover_type: 'photo', photo_url, status: 'show' },
  description: 'From the hills',
  body: [
    { type: 'text', content: 'They are here.' },
    { type: 'image', url: photo_url, caption: 'A bag' },
  ],
  status: 'hide',
  comment: 'show',
  ...more,
});
const create = async (token: string, more: object = {}) =>
  (await world.post('/v2.0/article/create', token, article(more))).json;
const verify = async (token: string, job: string) =>
  (await world.post('/v2.0/article/verify', token, { token: job })).json;
const slice = async (token: string, query: Record<string, string> = {}) =>
  (await world.get('/v2.0/article/getslice', token, { offset: '0', limit: '10', type: 'normal', ...query })).json;

/** Creates an article and waits for it; answers its id. */
async function made(token: string, more: object = {}): Promise<string> {
  const { data } = await create(token, more);
  world.clock.move(2 * SECOND);
  return (await verify(token, data.token)).data.id;
}

describe('an article', () => {
  it('has its id some time after its token, is hidden, and is shown by an update', async () => {
    const token = await world.login();
    const { data } = await create(token);
    expect(await verify(token, data.token)).toEqual({ data: {}, error: 0, message: 'Success' });
    expect((await slice(token)).data).toEqual({ medias: [], total: 0 });
    world.clock.move(2 * SECOND);
    const { id } = (await verify(token, data.token)).data;
    expect((await verify(token, data.token)).data).toEqual({ id });
    const [listed] = (await slice(token)).data.medias;
    expect(listed).toMatchObject({ id, title: 'New beans', status: 'hide', thumb: photo_url, total_view: 0 });
    expect((await world.ask(listed.link_view)).status).toBe(404);
    expect(world.sandbox.posts('zalo', OLIVIA)).toEqual([]);

    const update = await world.post('/v2.0/article/update', token, { ...article({ status: 'show' }), id });
    expect((await world.ask(listed.link_view)).status).toBe(404);
    world.clock.move(2 * SECOND);
    expect((await verify(token, update.json.data.token)).data).toEqual({ id });
    const page = await world.ask(listed.link_view);
    for (const words of ['New beans', 'From the hills', 'They are here.', photo_url])
      expect(page.text).toContain(words);
    expect(world.sandbox.posts('zalo', OLIVIA)).toMatchObject([{ uri: id, exists: true, text: 'New beans' }]);

    await world.act('view', { article: id, likes: 3 });
    expect((await slice(token)).data.medias[0]).toMatchObject({ status: 'show', total_view: 1, total_like: 3 });
    const detail = (await world.get('/v2.0/article/getdetail', token, { id })).json.data;
    expect(detail).toMatchObject({ id, author: 'Olivia', status: 'show', body: [{ type: 'text' }, { type: 'image' }] });

    expect((await world.post('/v2.0/article/remove', token, { id })).json.error).toBe(0);
    expect((await world.post('/v2.0/article/remove', token, { id })).json.error).toBe(-201);
    expect((await world.ask(listed.link_view)).status).toBe(404);
    expect(world.sandbox.posts('zalo', OLIVIA)).toMatchObject([
      { exists: false, versions: [{ action: 'create' }, { action: 'delete' }] },
    ]);
  });

  it('is checked when it comes, its pictures too', async () => {
    const token = await world.login();
    const cover = (more: object) => ({ cover: { cover_type: 'photo', photo_url, ...more } });
    const wrong: [object, number][] = [
      [{ title: 'a'.repeat(151) }, -210],
      [{ title: '' }, -201],
      [{ author: 'a'.repeat(51) }, -210],
      [{ description: 'a'.repeat(301) }, -210],
      [{ type: 'poem' }, -233],
      [{ status: 'draft' }, -201],
      [{ cover: undefined }, -201],
      [cover({ photo_url: `${world.app.url}/none.png` }), -201],
      [cover({ photo_url: world.app.put('x.pdf', pdf) }), -233],
      [cover({ cover_type: 'video', cover_view: 'round' }), -201],
      [{ body: [] }, -201],
      [{ body: [{ type: 'poll' }] }, -233],
    ];
    for (const [more, error] of wrong) expect([more, (await create(token, more)).error]).toEqual([more, error]);
    expect((await create(token, { title: 'a'.repeat(150) })).error).toBe(0);
    const requests = world.sandbox.requests().filter(({ verb }) => verb === 'fetch');
    expect(requests.length).toBeGreaterThan(0);
  });

  it('is nobody else’s, and may fail while it is worked on', async () => {
    const [token, other] = [await world.login(), await world.login(SAM)];
    const id = await made(token);
    for (const path of ['update', 'remove'])
      expect((await world.post(`/v2.0/article/${path}`, other, { ...article(), id })).json.error).toBe(-201);
    await world.act('settings', { article_failure: 'The cover is of poor quality' });
    const { data } = await create(token);
    expect((await verify(other, data.token)).error).toBe(-201);
    world.clock.move(2 * SECOND);
    expect(await verify(token, data.token)).toEqual({ error: -201, message: 'The cover is of poor quality' });
    expect((await slice(token)).data.total).toBe(1);
  });

  it('is listed newest first, ten at most, and may be written by hand', async () => {
    const token = await world.login();
    await made(token);
    await world.act('post', { account: OLIVIA, title: 'By hand', text: 'Hello' });
    world.clock.move(2 * SECOND);
    const { data } = await slice(token);
    expect(data.medias.map(({ title, status }: any) => [title, status])).toEqual([
      ['By hand', 'show'],
      ['New beans', 'hide'],
    ]);
    expect((await slice(token, { offset: '1', limit: '1' })).data.medias).toMatchObject([{ title: 'New beans' }]);
    expect((await slice(token, { limit: '11' })).error).toBe(-210);
    expect((await slice(token, { type: 'video' })).data.total).toBe(0);
    await world.act('remove_article', { article: data.medias[0].id });
    expect((await slice(token)).data.total).toBe(1);
  });
});

describe('a video', () => {
  const upload = (token: string, bytes: Uint8Array = mp4({}), name = 'a.mp4') =>
    world.upload('/v2.0/article/upload_video/preparevideo', token, bytes, name);
  const state = async (access_token: string, token: string) =>
    (await world.ask(`${world.at}/openapi/v2.0/article/upload_video/verify`, { headers: { access_token, token } }))
      .json;

  it('is converted, and makes an article', async () => {
    const token = await world.login();
    const { data } = (await upload(token)).json;
    world.clock.move(SECOND);
    expect((await state(token, data.token)).data).toMatchObject({ status: 3, convert_percent: 20, video_id: '' });
    world.clock.move(4 * SECOND);
    const done = (await state(token, data.token)).data;
    expect(done).toMatchObject({ status: 1, convert_percent: 100, video_id: expect.stringMatching(/^\d+$/) });
    const { video_id } = done;
    const body = { type: 'video', title: 'Roasting', description: 'Live', video_id, avatar: photo_url, status: 'show' };
    const { json } = await world.post('/v2.0/article/create', token, body);
    world.clock.move(2 * SECOND);
    const { id } = (await verify(token, json.data.token)).data;
    const { medias } = (await slice(token, { type: 'video' })).data;
    expect(medias).toMatchObject([{ id, type: 'video', title: 'Roasting' }]);
    const [, film] = /href="([^"]+)">Video/.exec((await world.ask(medias[0].link_view)).text)!;
    expect((await world.ask(film!)).headers.get('content-type')).toBe('video/mp4');
    const cover = { cover_type: 'video', cover_view: 'square', video_id };
    expect((await create(token, { cover })).error).toBe(0);
  });

  it('may fail, and is refused where it is none or not ready', async () => {
    const token = await world.login();
    expect((await upload(token, pdf)).json.error).toBe(-233);
    expect((await state(token, 'none')).error).toBe(-201);
    const { data } = (await upload(token)).json;
    const early = {
      type: 'video',
      title: 'Early',
      video_id: (await world.list('videos'))[0]?.video_id,
      avatar: photo_url,
    };
    expect((await world.post('/v2.0/article/create', token, early)).json.error).toBe(-201);
    await world.act('settings', { video_status: 4 });
    world.clock.move(5 * SECOND);
    expect((await state(token, data.token)).data).toMatchObject({ status: 4, video_id: '' });
  });
});
