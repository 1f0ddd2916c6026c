import { describe, expect, it } from 'vitest';
import { facebook } from '#platforms/facebook/index.ts';
import { graphOf, listed, refusal } from '../../harness/platforms/facebook-samples.ts';
import { answer, ok } from '../../harness/platforms/script.ts';
import { measured } from '../../harness/platforms/fake.ts';

const { list, metrics } = facebook.posts!;
const summary = (total_count: number) => ({ data: [], summary: { total_count } });

describe('list', () => {
  const post = {
    id: '101_1',
    message: 'Hello',
    created_time: '2026-01-31T18:10:30+0000',
    permalink_url: 'https://www.facebook.com/101/posts/1',
    shares: { count: 2 },
    comments: summary(3),
    reactions: summary(4),
  };

  it('answers posts with counts and media, and where the list goes on', async () => {
    const picture = (src: string) => ({ media_type: 'photo', type: 'photo', media: { image: { src } } });
    const showing = (attachment: object) => ({ ...post, attachments: { data: [attachment] } });
    const image = { src: 'i' };
    const published = [
      showing({ media_type: 'album', subattachments: { data: [picture('a'), picture('b')] } }),
      showing({ media_type: 'video', media: { source: 'v', image } }),
      { ...showing({ media_type: 'link', media: { image } }), full_picture: 'i' },
      { id: '101_2', story: 'changed its picture', created_time: post.created_time, full_picture: 'f' },
    ];
    const { acting, asked } = graphOf({ 'GET /101/published_posts': listed(published, 'A') });
    const { posts, cursor } = await list!(acting, { limit: 500, cursor: 'B', pageId: '101' });
    expect(asked[0]!.query).toMatchObject({ limit: '100', after: 'B' });
    expect(cursor).toBe('A');
    expect(posts[0]).toEqual({
      platform_post_id: '101_1',
      permalink: post.permalink_url,
      text: 'Hello',
      created_at: Date.UTC(2026, 0, 31, 18, 10, 30),
      media: [
        { type: 'image', url: 'a' },
        { type: 'image', url: 'b' },
      ],
      metrics: { likes: 4, comments: 3, shares: 2, saves: 0 },
      page_id: '101',
    });
    expect(posts.slice(1).map(({ media }) => media)).toEqual([
      [{ type: 'video', url: 'v' }],
      [],
      [{ type: 'image', url: 'f' }],
    ]);
    expect(posts[3]).toMatchObject({ text: '', metrics: { likes: 0, comments: 0, shares: 0 } });
  });

  it('needs a page of the login', async () => {
    const { acting } = graphOf({});
    await expect(list!(acting, { limit: 1 })).rejects.toMatchObject({ reason: 'invalid_request' });
    await expect(list!(acting, { limit: 1, pageId: '9' })).rejects.toMatchObject({ reason: 'permission_denied' });
  });

  it('takes a time that nobody can read for an unreadable answer', async () => {
    const { acting } = graphOf({ 'GET /101/published_posts': listed([{ ...post, created_time: 'soon' }]) });
    await expect(list!(acting, { limit: 1, pageId: '101' })).rejects.toMatchObject({ kind: 'unknown' });
  });
});

describe('metrics', () => {
  const counts = ok({ id: 'x', shares: { count: 1 }, comments: summary(2), reactions: summary(3) });
  const insights = listed([
    { name: 'post_media_view', values: [{ value: 10 }, { value: 5 }] },
    { name: 'post_clicks', values: [{ value: { link: 1, other: 2 } }] },
    { name: 'something_else', values: [{ value: 1 }] },
  ]);

  it('counts every post that Facebook knows, each with the token of its page', async () => {
    const { acting, asked } = graphOf({
      'GET /101_1': counts,
      'GET /101_1/insights': insights,
      'GET /202_1': counts,
      'GET /202_1/insights': refusal(100),
      'GET /101_9': refusal(100, 33),
      'GET /303_1': refusal(100, 33),
    });
    const found = await metrics!(acting, measured(['101_1', '202_1', '101_9', '303_1']));
    expect(found.get('101_1')).toEqual({ likes: 3, comments: 2, shares: 1, saves: 0, extra: { views: 15, clicks: 3 } });
    expect(found.get('202_1')).toEqual({ likes: 3, comments: 2, shares: 1, saves: 0 });
    expect([...found.keys()]).toEqual(['101_1', '202_1']);
    expect(asked.find(({ call }) => call === 'GET /202_1')!.bearer).toBe('PAGE-202');
  });

  it('asks a few pages for a video, and none of them for long', async () => {
    const pages = Object.fromEntries(['101', '202', '303', '404'].map((id) => [id, `PAGE-${id}`]));
    const { acting, asked } = graphOf({ 'GET /31': refusal(100, 33) });
    expect(await metrics!({ ...acting, session: { ...acting.session, pages } }, measured(['31']))).toEqual(new Map());
    expect(asked.map(({ bearer }) => bearer)).toEqual(['PAGE-101', 'PAGE-202', 'PAGE-303']);
    expect(asked.map(({ request }) => request.deadlineMs)).toEqual([5_000, 5_000, 5_000]);
  });

  it('asks the next page for a video that one does not know', async () => {
    const video = ok({ id: '31', comments: summary(2), likes: summary(5) });
    const { acting } = graphOf({ 'GET /31': [refusal(100, 33), video] });
    expect((await metrics!(acting, measured(['31']))).get('31')).toMatchObject({ likes: 5, comments: 2, shares: 0 });
  });

  it('fails when the platform does', async () => {
    for (const reply of [refusal(190), refusal(4), answer(500)]) {
      const { acting } = graphOf({ 'GET /101_1': reply });
      await expect(metrics!(acting, measured(['101_1']))).rejects.toThrow();
    }
  });
});
