import { describe, expect, it } from 'vitest';
import type { Done, OutgoingPost, PublishCall } from '#platforms/posts.ts';
import { zalo } from '#platforms/zalo/index.ts';
import { opened } from '../../harness/opened.ts';
import { NOW, type Script } from '../../harness/platforms/script.ts';
import { made, refusal, zaloOf } from './script.ts';
import { postOf } from '../../harness/platforms/steps.ts';

const { publish, check, attached, remove, list } = zalo.posts!;

const post = (more: Partial<OutgoingPost> = {}) =>
  postOf({ text: 'Fresh bread\n\nEvery day', title: 'Bread', media: [{ ref: 'photo', kind: 'image' }], ...more });
const film = (more: Partial<OutgoingPost> = {}) =>
  post({
    text: 'How we bake',
    media: [{ ref: 'film', kind: 'video' }],
    options: { cover: { source: 'https://files.test/cover.jpg', source_type: 'url' } },
    ...more,
  });
const names = (content: OutgoingPost) => publish.steps(content).map(({ name }) => name);

async function run(script: Script, content: OutgoingPost, step: string, done: Done = {}) {
  const { acting, asked } = zaloOf(script);
  const call: PublishCall = {
    ...acting,
    post: content,
    done,
    open: async () => opened(Buffer.from('film'), 'video/mp4', { filename: 'a.mp4' }),
    link: async (ref) => `https://social.test/${encodeURIComponent(ref)}`,
  };
  return { result: await publish.run(call, step), asked };
}

describe('articles', () => {
  it('are made hidden, asked for until they are there, then shown', async () => {
    const steps = publish.steps(post());
    expect(steps.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
      'create invisible',
      'verify invisible',
      'show idempotent',
      'shown idempotent',
      'link idempotent',
    ]);
    const { result, asked } = await run({ 'article/create': made({ token: 't-1' }) }, post(), 'create');
    expect(result).toEqual({ token: 't-1' });
    expect(asked[0]!.body).toEqual({
      type: 'normal',
      title: 'Bread',
      description: 'Fresh bread Every day',
      comment: 'show',
      author: 'Bakery',
      cover: { cover_type: 'photo', photo_url: 'https://social.test/photo', status: 'show' },
      body: [
        { type: 'text', content: 'Fresh bread' },
        { type: 'text', content: 'Every day' },
      ],
      status: 'hide',
    });
    expect(asked[0]!.request.headers).toMatchObject({ access_token: 'access-1' });
  });

  it('are described by the beginning of their text, which ends with a whole letter', async () => {
    const { asked } = await run({ 'article/create': made({ token: 't' }) }, post({ text: '😀'.repeat(200) }), 'create');
    expect(asked[0]!.body).toMatchObject({ description: `${'😀'.repeat(149)}…` });
  });

  it('wait as long as verifying answers no id', async () => {
    const done = { create: { token: 't-1' } };
    for (const nothing of [made({}), made(null)]) {
      await expect(run({ 'article/verify': nothing }, post(), 'verify', done)).rejects.toMatchObject({
        kind: 'pending',
      });
    }
    const { result, asked } = await run({ 'article/verify': made({ id: 'a-1' }) }, post(), 'verify', done);
    expect(result).toEqual({ id: 'a-1' });
    expect(asked[0]!.body).toEqual({ token: 't-1' });
  });

  it('wait where verifying is refused because Zalo is still at work', async () => {
    const busy = refusal(-214, 'Article is being processed');
    const again = run({ 'article/verify': busy }, post(), 'verify', { create: { token: 't-1' } });
    await expect(again).rejects.toMatchObject({ kind: 'throttled', retryAfter: 60 });
  });

  it('are shown by an update with the same body, whose token is waited for too', async () => {
    const done = { create: { token: 't-1' }, verify: { id: 'a-1' } };
    const options = { author: 'Fred', description: 'Rye', comment: 'hide', related_medias: ['a-0'] };
    const { result, asked } = await run({ 'article/update': made({ token: 't-2' }) }, post({ options }), 'show', done);
    expect(result).toEqual({ token: 't-2' });
    expect(asked[0]!.body).toMatchObject({
      id: 'a-1',
      status: 'show',
      author: 'Fred',
      description: 'Rye',
      comment: 'hide',
      related_medias: ['a-0'],
      body: [{ content: 'Fresh bread' }, { content: 'Every day' }],
    });
    const shown = { ...done, show: result };
    await expect(run({ 'article/verify': made({}) }, post(), 'shown', shown)).rejects.toMatchObject({
      kind: 'pending',
    });
    const verified = await run({ 'article/verify': made({ id: 'a-1' }) }, post(), 'shown', shown);
    expect(verified.asked[0]!.body).toEqual({ token: 't-2' });
  });

  it('have the address that Zalo names, with the article or in the list', async () => {
    const done = { verify: { id: 'a-1' } };
    const link_view = 'https://oa.zalo.me/d?id=a-1';
    const named = await run({ 'article/getdetail': made({ link_view }) }, post(), 'link', done);
    expect(named.result).toEqual({ url: link_view });
    const listed: Script = {
      'article/getdetail': made({}),
      'article/getslice': made({ medias: [{ id: 'a-1', link_view, create_date: NOW }] }),
    };
    expect((await run(listed, post(), 'link', done)).result).toEqual({ url: link_view });
    const published = { platform_post_id: 'a-1', permalink: link_view };
    expect(publish.finish({ ...done, link: { url: link_view } }, {})).toEqual(published);
    expect(publish.finish(done, {})).toEqual({ platform_post_id: 'a-1', permalink: undefined });
  });

  it('describe themselves by the beginning of their text, cut between words', async () => {
    const { asked } = await run(
      { 'article/create': made({ token: 't' }) },
      post({ text: `${'bread '.repeat(60)}end` }),
      'create',
    );
    const { description } = asked[0]!.body;
    expect([...description].length).toBeLessThanOrEqual(300);
    expect(description).toMatch(/bread…$/);
  });

  it('are checked', () => {
    const fields = (content: OutgoingPost) => check!(content).map(({ field }) => field);
    expect(fields(post())).toEqual([]);
    expect(fields(post({ text: ' ' }))).toEqual(['text']);
    expect(fields(post({ options: film().options }))).toEqual(['platform_data.zalo.cover']);
    expect(fields(post({ options: { author: 'x'.repeat(51) } }))).toEqual(['platform_data.zalo.author']);
    expect(fields(post({ options: { comment: 'some' } }))).toEqual(['platform_data.zalo.comment']);
    expect(fields(film())).toEqual([]);
    expect(fields(film({ options: {} }))).toEqual(['platform_data.zalo.cover']);
    expect(fields(film({ text: 'x'.repeat(301) }))).toEqual(['text']);
    expect(fields(film({ options: { ...film().options, author: 'Fred' } }))).toEqual(['platform_data.zalo.author']);
    expect(attached!(film().options)).toEqual([{ ...(film().options['cover'] as object), type: 'image' }]);
    expect(attached!({})).toEqual([]);
  });

  it.each([
    ['no title', { title: ' ' }],
    ['no picture', { media: [] }],
    ['two pictures', { media: [post().media[0]!, post().media[0]!] }],
    ['no body', { text: '' }],
  ])('with %s are refused before anything is sent', async (what, more) => {
    const reason = what === 'no picture' ? 'media_required' : 'invalid_request';
    await expect(run({}, post(more), 'create')).rejects.toMatchObject({ kind: 'refused', reason });
  });
});

describe('video articles', () => {
  it('upload the video first, and wait until it is converted', async () => {
    expect(names(film())).toEqual(['upload', 'convert', ...names(post())]);
    const { result, asked } = await run(
      { 'article/upload_video/preparevideo': made({ token: 'v-1' }) },
      film(),
      'upload',
    );
    expect(asked[0]!.form).toEqual({ file: 'a.mp4 video/mp4 4' });
    const done = { upload: result };
    const verify = (data: object) => run({ 'article/upload_video/verify': made(data) }, film(), 'convert', done);
    await expect(verify({ status: 3, convert_percent: 40 })).rejects.toMatchObject({
      kind: 'pending',
      message: expect.stringContaining('40 %') as string,
    });
    for (const status of [2, 4, 5])
      await expect(verify({ status })).rejects.toMatchObject({ kind: 'refused', reason: 'invalid_request' });
    const said = (code: unknown) =>
      verify({ status: 4, convert_error_code: code }).catch((error) => error.details.code);
    expect(await Promise.all([said('-9'), said(-9), said(null), said('')])).toEqual([-9, -9, undefined, undefined]);
    const converted = await verify({ status: 1, video_id: 'vid-1', convert_percent: 100 });
    expect(converted.result).toEqual({ video_id: 'vid-1' });
    expect(converted.asked[0]!.request).toMatchObject({ method: 'GET', headers: { token: 'v-1' } });
  });

  it('are uploaded anew by a later try if Zalo no longer has the file', async () => {
    const script = { 'article/upload_video/verify': refusal(-100) };
    const error = { kind: 'refused', reason: 'invalid_request', spent: true };
    await expect(run(script, film(), 'convert', { upload: { token: 'v-1' } })).rejects.toMatchObject(error);
  });

  it('are made with a cover', async () => {
    const done = { upload: { token: 'v-1' }, convert: { video_id: 'vid-1' } };
    const { asked } = await run({ 'article/create': made({ token: 't-1' }) }, film(), 'create', done);
    expect(asked[0]!.body).toEqual({
      type: 'video',
      title: 'Bread',
      description: 'How we bake',
      comment: 'show',
      video_id: 'vid-1',
      avatar: `https://social.test/${encodeURIComponent('https://files.test/cover.jpg')}`,
      status: 'hide',
    });
  });
});

describe('deleting', () => {
  it('removes an article; one that is not there is gone', async () => {
    const { acting, asked } = zaloOf({ 'article/remove': made({}) });
    await remove!(acting, 'a-1', {});
    expect(asked[0]!.body).toEqual({ id: 'a-1' });
    const gone = zaloOf({ 'article/remove': refusal(-201), 'article/getdetail': refusal(-201) });
    await remove!(gone.acting, 'a-1', {});
  });

  it('fails where the article is still there, or Zalo does not allow it', async () => {
    const there = zaloOf({ 'article/remove': refusal(-201), 'article/getdetail': made({}) });
    await expect(remove!(there.acting, 'a-1', {})).rejects.toMatchObject({ reason: 'invalid_request' });
    const forbidden = zaloOf({ 'article/remove': refusal(-224) });
    await expect(remove!(forbidden.acting, 'a-1', {})).rejects.toMatchObject({ reason: 'permission_denied' });
  });
});

describe('lists', () => {
  const article = (id: string, day: number, more: object = {}) => ({
    id,
    title: id,
    thumb: 'https://cdn.test/t.jpg',
    link_view: `https://oa.zalo.me/d?id=${id}`,
    total_view: '12',
    total_like: 3,
    total_share: 1,
    total_comment: 2,
    create_date: String(NOW - day * 86_400_000),
    status: 'show',
    ...more,
  });
  const SHELF: Readonly<Record<string, readonly object[]>> = {
    normal: [...Array(12)].map((_, at) => article(`n${at}`, at * 2, at === 1 ? { status: 'hide' } : {})),
    video: [article('v0', 1), { nonsense: true }, article('v1', 19)],
  };
  const shelf: Script = {
    'article/getslice': ({ query }) => {
      const { offset, limit, type } = query as { offset: string; limit: string; type: string };
      const medias = SHELF[type]!.slice(Number(offset), Number(offset) + Number(limit));
      return { error: 0, data: { medias, total: SHELF[type]!.length } };
    },
  };

  it('show both kinds of articles by their age, without hidden ones, each once', async () => {
    const { acting } = zaloOf(shelf);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await list!(acting, { limit: 7, cursor });
      seen.push(...page.posts.map(({ platform_post_id }) => platform_post_id));
      cursor = page.cursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(['n0', 'v0', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7', 'n8', 'n9', 'v1', 'n10', 'n11']);
  });

  it('show what Zalo counts', async () => {
    const { posts } = await list!(zaloOf(shelf).acting, { limit: 1 });
    expect(posts).toEqual([
      {
        platform_post_id: 'n0',
        permalink: 'https://oa.zalo.me/d?id=n0',
        title: 'n0',
        text: 'n0',
        created_at: NOW,
        media: [{ type: 'image', url: 'https://cdn.test/t.jpg' }],
        metrics: { likes: 3, comments: 2, shares: 1, saves: 0, extra: { views: 12 } },
      },
    ]);
  });

  it('begin anew at a cursor that nobody made', async () => {
    const { posts } = await list!(zaloOf(shelf).acting, { limit: 1, cursor: 'nonsense' });
    expect(posts).toHaveLength(1);
  });
});
