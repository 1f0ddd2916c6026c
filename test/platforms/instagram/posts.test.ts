import { describe, expect, it } from 'vitest';
import { instagram } from '#platforms/instagram/index.ts';
import { failureOf } from '#platforms/instagram/errors.ts';
import type { OutgoingMedia } from '#platforms/media.ts';
import type { OutgoingPost } from '#platforms/posts.ts';
import { goOn, graphOf, PAGE_SESSION, settle, USER } from '../../harness/platforms/instagram-samples.ts';
import { postOf } from '../../harness/platforms/steps.ts';
import { answer, lost, NOW, ok } from '../../harness/platforms/script.ts';

const { publish, check, doubts, attached, list, metrics } = instagram.posts!;
const linked = instagram.kinds!['facebook']!;
const photo: OutgoingMedia = { ref: 'photo', kind: 'image' };
const film: OutgoingMedia = { ref: 'film', kind: 'video' };
const MEDIA = `POST /${USER}/media`;
const PUBLISH = `POST /${USER}/media_publish`;
const finished = ok({ status_code: 'FINISHED' });
const none = ok({ data: [] });
const published = {
  'GET /c': finished,
  [`GET /${USER}/media`]: none,
  [`GET /${USER}/stories`]: none,
  [PUBLISH]: ok({ id: 'm' }),
  'GET /m': ok({ permalink: 'https://www.instagram.com/p/m/' }),
};
const refusal = (code: number, subcode?: number) =>
  answer(400, { error: { code, error_subcode: subcode, message: 'no' } });

/** The forms of the containers of a post, the last one first. */
async function formsOf(post: Partial<OutgoingPost>) {
  const { acting, asked } = graphOf({
    ...published,
    [MEDIA]: [...(post.media ?? []).slice(1).map((_, n) => ok({ id: `i${n}` })), ok({ id: 'c' })],
    ...Object.fromEntries(['i0', 'i1'].map((id) => [`GET /${id}`, finished])),
  });
  const done = await goOn(acting, postOf(post));
  const forms = asked.filter(({ call }) => call === MEDIA).map(({ form }) => form);
  return { forms: forms.toReversed(), done };
}

it.each([
  [5, 0],
  [6, 1],
  [30, 1],
  [31, 0],
])('%d hashtags are warned of within the documented limit alone: %d', (tags, warnings) => {
  expect(doubts!(postOf({ text: Array.from({ length: tags }, (_, n) => `#t${n}`).join(' ') }))).toHaveLength(warnings);
});

it('mentions are counted for warnings as they are for errors', () => {
  expect(doubts!(postOf({ text: '@a-b @ü @c.d @e @' }))).toMatchObject([
    { message: expect.stringContaining('4 mentions') },
  ]);
});

describe('a post', () => {
  it('of one image is fetched, with all that may be said of it', async () => {
    const options = {
      alts: ['A loaf'],
      collaborators: ['@anna'],
      location_id: '123',
      user_tags: [{ username: 'ben', x: 0.5, y: 0.25 }],
      is_ai_generated: true,
    };
    const { forms, done } = await formsOf({ text: 'Rye', media: [photo], options });
    expect(forms).toEqual([
      {
        image_url: 'https://us.test/media/photo',
        alt_text: 'A loaf',
        caption: 'Rye',
        location_id: '123',
        collaborators: '["anna"]',
        is_ai_generated: 'true',
        user_tags: '[{"username":"ben","x":0.5,"y":0.25}]',
      },
    ]);
    expect(publish.finish(done, instagram.hosts.real)).toEqual({
      platform_post_id: 'm',
      permalink: 'https://www.instagram.com/p/m/',
      segments: [{ platform_post_id: 'm', permalink: 'https://www.instagram.com/p/m/' }],
      metadata: { media_type: 'feed' },
    });
  });

  it('of one video is a reel, with its cover and sound', async () => {
    const cover = { source: 'cover', source_type: 'media_id' };
    const options = { cover, share_to_feed: false, thumb_offset: 900, audio_name: 'Waves', trial: 'manual' };
    const { forms, done } = await formsOf({ text: 'Sea', media: [film], options });
    expect(forms).toEqual([
      {
        media_type: 'REELS',
        video_url: 'https://us.test/media/film',
        cover_url: 'https://us.test/media/cover',
        share_to_feed: 'false',
        thumb_offset: '900',
        audio_name: 'Waves',
        trial_params: '{"graduation_strategy":"MANUAL"}',
        caption: 'Sea',
      },
    ]);
    expect(publish.finish(done, {}).metadata).toEqual({ media_type: 'reel' });
    expect(attached!(options)).toEqual([{ ...cover, type: 'image' }]);
  });

  it('of several is a carousel, whose items have no caption', async () => {
    const options = { alts: [null, 'Sea'], user_tags: [{ username: 'ben', item: 0 }] };
    const { forms } = await formsOf({ text: 'Both', media: [film, { ...photo, ref: 'two' }], options });
    expect(forms).toEqual([
      { media_type: 'CAROUSEL', children: 'i0,c', caption: 'Both' },
      { is_carousel_item: 'true', image_url: 'https://us.test/media/two', alt_text: 'Sea' },
      {
        is_carousel_item: 'true',
        media_type: 'VIDEO',
        video_url: 'https://us.test/media/film',
        user_tags: '[{"username":"ben"}]',
      },
    ]);
  });

  it('that is a story has neither caption nor comment', async () => {
    const post = postOf({ text: 'x', media: [photo], options: { media_type: 'stories' }, first_comment: 'no' });
    const { forms } = await formsOf({ ...post, first_comment: undefined });
    expect(forms).toEqual([{ media_type: 'STORIES', image_url: 'https://us.test/media/photo' }]);
    expect(publish.steps(post).map(({ name }) => name)).toEqual(['container', 'publish', 'named']);
  });

  it('is found among those of its kind with its caption when the answer got lost', async () => {
    const one = (id: string, media_type: string, caption: string) => ({ id, media_type, caption });
    const { acting } = graphOf({
      [`GET /${USER}/media`]: ok({
        data: [one('1', 'VIDEO', 'Rye'), one('2', 'IMAGE', 'Oat'), one('3', 'IMAGE', 'Rye '), one('4', 'IMAGE', 'Rye')],
      }),
    });
    const before = { container: 'c', publish: { others: ['4'] } };
    const done = await goOn(acting, postOf({ text: 'Rye', media: [photo] }), before);
    expect(done['named']).toMatchObject({ id: '3', media_type: 'feed' });
  });

  it('has a first comment, which is looked up when its answer got lost', async () => {
    const post = postOf({ text: 'Rye', media: [photo], first_comment: '#bread' });
    const done = { container: 'c', publish: { id: 'm' }, named: { id: 'm', media_type: 'feed' } };
    const { acting, asked } = graphOf({
      'POST /m/comments': ok({ id: 'k' }),
      'GET /m/comments': ok({
        data: [{ id: 'k', text: '#bread', timestamp: '2026-11-21T12:00:00+0000', from: { id: USER } }],
      }),
    });
    const all = await goOn(acting, post, done);
    expect(asked[0]!.form).toEqual({ message: '#bread' });
    expect(publish.finish(all, {}).metadata).toEqual({ media_type: 'feed', first_comment_id: 'k' });
    expect(await settle(acting, post, 'comment', done)).toEqual({ made: { id: 'k' } });
    expect(publish.finish({ ...done, comment: { refused: 'no' } }, {}).metadata).toMatchObject({
      first_comment_error: 'no',
    });
  });

  it('fails with what is wrong with its media, and tries again what may pass', () => {
    expect(failureOf('Error: failed with code 2207026')).toMatchObject({ kind: 'refused', reason: 'invalid_request' });
    expect(failureOf('2207050')).toMatchObject({ kind: 'refused', reason: 'blocked' });
    expect(failureOf('Error 2207053: unknown upload error').kind).toBe('pending');
    expect(failureOf('')).toMatchObject({ kind: 'refused', message: expect.stringContaining('another file') });
  });

  it.each([
    [{ media: [{ ...photo, width: 1080, height: 1350 }] }, []],
    [{ media: [photo], options: { media_type: 'reel' } }, ['media']],
    [{ media: [photo], options: { media_type: 'carousel' } }, ['media']],
    [{ media: [photo, film], options: { media_type: 'stories' } }, ['media']],
    [{ media: [{ ...film, duration_ms: 61_000 }], options: { media_type: 'stories' } }, ['media.0']],
    [{ media: [photo], options: { media_type: 'stories' }, first_comment: 'x' }, ['first_comment']],
    [{ media: [photo], options: { thumb_offset: 3 } }, ['platform_data.instagram.thumb_offset']],
    [{ media: [photo], options: { collaborators: ['a', 'b', 'c', 'd'] } }, ['platform_data.instagram.collaborators']],
    [{ media: [photo], options: { user_tags: [{ username: 'ben' }] } }, ['platform_data.instagram.user_tags.0']],
    [
      { media: [film], options: { user_tags: [{ username: 'b', item: 1 }] } },
      ['platform_data.instagram.user_tags.0.item'],
    ],
  ] as const)('is checked before anything is sent: %j', (post, fields) => {
    expect(check!(postOf(post as Partial<OutgoingPost>)).map(({ field }) => field)).toEqual(fields);
  });

  it('is refused before anything is sent where validation was skipped', async () => {
    for (const [reason, post] of [
      ['media_required', {}],
      ['invalid_request', { media: Array.from({ length: 11 }, () => photo) }],
      ['invalid_request', { media: [photo, film], options: { media_type: 'stories' } }],
    ] as const) {
      const { acting, asked } = graphOf({});
      await expect(goOn(acting, postOf(post))).rejects.toMatchObject({ kind: 'refused', reason });
      expect(asked).toEqual([]);
    }
  });

  it('is deleted by Facebook login alone', async () => {
    expect(instagram.posts!.remove).toBeUndefined();
    const { acting, calls } = graphOf({ 'DELETE graph.facebook.com /m': ok({ success: true }) }, PAGE_SESSION);
    await linked.posts!.remove!(acting, 'm', {});
    expect(calls()).toEqual(['DELETE graph.facebook.com /m']);
  });
});

describe('reads of posts', () => {
  it('list what was published, with the addresses of its media', async () => {
    const video = { media_type: 'VIDEO', media_url: 'https://cdn.test/v', thumbnail_url: 'https://cdn.test/t' };
    const { acting, asked } = graphOf({
      [`GET /${USER}/media`]: ok({
        data: [
          { id: '1', caption: 'A', timestamp: '2026-11-21T12:00:00+0000', like_count: 3, comments_count: 1, ...video },
          {
            id: '2',
            timestamp: '2026-11-20T12:00:00+0000',
            media_type: 'CAROUSEL_ALBUM',
            children: {
              data: [
                { ...video, media_url: undefined },
                { media_type: 'IMAGE', media_url: 'https://cdn.test/i' },
              ],
            },
          },
        ],
        paging: { cursors: { after: 'x' }, next: 'https://graph.instagram.com/next' },
      }),
    });
    const { posts, cursor } = await list!(acting, { limit: 500 });
    expect([cursor, asked[0]!.query['limit']]).toEqual(['x', '100']);
    expect(posts).toMatchObject([
      {
        platform_post_id: '1',
        text: 'A',
        created_at: NOW,
        media: [{ type: 'video', url: 'https://cdn.test/v' }],
        metrics: { likes: 3, comments: 1 },
      },
      {
        text: '',
        media: [
          { type: 'image', url: 'https://cdn.test/t' },
          { type: 'image', url: 'https://cdn.test/i' },
        ],
      },
    ]);
  });

  it('measure what each kind of post has, and go without insights', async () => {
    const counts = (media_product_type: string) => ok({ like_count: 5, comments_count: 2, media_product_type });
    const insights = [
      { name: 'saved', values: [{ value: 4 }] },
      { name: 'shares', values: [{ value: 6 }] },
      { name: 'views', values: [{ value: 70 }] },
    ];
    const { acting, asked } = graphOf({
      'GET /1': counts('REELS'),
      'GET /1/insights': ok({ data: insights }),
      'GET /2': counts('STORY'),
      'GET /2/insights': refusal(10),
      'GET /3': refusal(100, 33),
    });
    const found = await metrics!(
      acting,
      ['1', '2', '3'].map((id) => ({ id, metadata: {} })),
    );
    expect(Object.fromEntries(found)).toEqual({
      1: { likes: 5, comments: 2, shares: 6, saves: 4, extra: { views: 70 } },
      2: { likes: 5, comments: 2, shares: 0, saves: 0 },
    });
    const asks = new Map(asked.map(({ call, query }) => [call, query['metric']]));
    expect(asks.get('GET /1/insights')).toContain('ig_reels_avg_watch_time');
    expect(asks.get('GET /2/insights')).not.toContain('saved');
  });

  it('are measured without what Instagram does not count of them, by name or by place', async () => {
    const lacking = (message: string) => answer(400, { error: { code: 100, message: `(#100) ${message}` } });
    const views = ok({ data: [{ name: 'views', values: [{ value: 7 }] }] });
    const { acting, asked } = graphOf({
      'GET /1': ok({ like_count: 5, comments_count: 2, media_product_type: 'FEED' }),
      'GET /1/insights': [
        lacking(
          'The Media Insights API does not support the follows, profile_visits metric for this media product type.',
        ),
        lacking('metric[2] must be one of the following values: views, reach, total_interactions, saved'),
        views,
      ],
    });
    const found = await metrics!(acting, [{ id: '1', metadata: {} }]);
    expect(found.get('1')).toMatchObject({ extra: { views: 7 } });
    const asks = asked.filter(({ call }) => call === 'GET /1/insights').map(({ query }) => query['metric']);
    expect(asks.slice(1)).toEqual([
      'views,reach,shares,total_interactions,saved',
      'views,reach,total_interactions,saved',
    ]);
  });

  it('tell how much may still be published', async () => {
    const limit = (data: readonly object[]) =>
      instagram.limits!(graphOf({ [`GET /${USER}/content_publishing_limit`]: ok({ data }) }).acting);
    expect(await limit([{ quota_usage: 3, config: { quota_total: 50, quota_duration: 86_400 } }])).toEqual({
      posts_remaining: 47,
    });
    expect(await limit([{ quota_usage: 3 }])).toEqual({});
  });

  it('say so when the quota is used up', async () => {
    const { acting } = graphOf({ ...published, [MEDIA]: ok({ id: 'c' }), [PUBLISH]: refusal(9, 2207042) });
    const going = goOn(acting, postOf({ media: [photo] }));
    await expect(going).rejects.toMatchObject({ kind: 'throttled', reason: 'publish_limit' });
    const away = graphOf({ [MEDIA]: lost(false) });
    await expect(goOn(away.acting, postOf({ media: [photo] }))).rejects.toMatchObject({ kind: 'not_sent' });
  });
});
