import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { OAuthConnect } from '#platforms/connect.ts';
import { answerHandshake } from '#platforms/shared/push/handshake.ts';
import type { PushTrust } from '#platforms/push.ts';
import { youtube } from '#platforms/youtube/index.ts';
import { answer, NOW, ok, refused, type Script } from '../../harness/platforms/script.ts';
import { refusal, SESSION, youtubeOf } from './script.ts';

const comments = youtube.comments!;
const push = youtube.push!;
const { list, metrics } = youtube.posts!;
const iso = (ms: number) => new Date(ms).toISOString();

const snippet = (author: string, words: string, more: object = {}) => ({
  authorDisplayName: `@${author}`,
  authorChannelId: { value: author },
  authorProfileImageUrl: 'https://cdn.test/a.jpg',
  authorChannelUrl: `https://www.youtube.com/channel/${author}`,
  textOriginal: words,
  textDisplay: words,
  likeCount: 2,
  publishedAt: iso(NOW),
  ...more,
});
const thread = (id: string, author: string, words: string, more: object = {}, replies: readonly object[] = []) => ({
  id,
  snippet: {
    videoId: 'v-1',
    canReply: true,
    totalReplyCount: replies.length,
    topLevelComment: { id, snippet: snippet(author, words, { videoId: 'v-1', ...more }) },
  },
  ...(replies.length > 0 && { replies: { comments: replies } }),
});
const reply = (id: string, author: string, words: string, more: object = {}) => ({
  id,
  snippet: snippet(author, words, { parentId: id.split('.')[0], ...more }),
});
const items = (...all: readonly object[]) => ok({ items: all });

describe('connecting', () => {
  const connect = youtube.connect as OAuthConnect;
  const CHANNEL = {
    id: 'UC1',
    snippet: {
      title: 'Bakery',
      customUrl: '@bakery',
      description: 'Bread',
      thumbnails: { high: { url: 'https://cdn.test/c.jpg' } },
    },
    contentDetails: { relatedPlaylists: { uploads: 'UU1' } },
    statistics: { subscriberCount: '12', videoCount: '3' },
  };
  const finish = (channels: ReturnType<typeof ok>) => {
    const { bare, asked } = youtubeOf({
      'POST /token': ok({ access_token: 'access-1', refresh_token: 'refresh-1', expires_in: 3599 }),
      'GET /v1/userinfo': ok({ sub: 'g-1', name: 'Olivia', email: 'o@example.org' }),
      'GET channels': channels,
    });
    const client = { clientId: 'app', clientSecret: 'secret' };
    const back = { params: { code: 'c' }, secrets: {}, callback: 'https://a.test/cb', client, metadata: {} };
    return { answer: connect.finish(bare, back), asked };
  };

  it('is a channel of a Google login, which shares its grant with the other accounts of it', async () => {
    const { answer: made, asked } = finish(items(CHANNEL));
    expect(await made).toMatchObject([
      {
        profile: {
          platform_user_id: 'UC1',
          username: 'bakery',
          name: 'Bakery',
          profile_url: 'https://www.youtube.com/channel/UC1',
          metadata: { subscriber_count: 12, video_count: 3, uploads_playlist_id: 'UU1' },
        },
        session: SESSION,
        grant: 'google:app:g-1',
      },
    ]);
    expect(asked.at(-1)!.query['mine']).toBe('true');
  });

  it.each([items(), refusal(403, 'youtubeSignupRequired'), refusal(401, 'youtubeSignupRequired')])(
    'of somebody without a channel is refused by that name',
    async (channels) => {
      await expect(finish(channels).answer).rejects.toMatchObject(refused('no_channels'));
    },
  );
});

describe('comments', () => {
  it('are listed with the filters of callers', async () => {
    const held = thread('c-1', 'UCf', 'Rye?', { moderationStatus: 'heldForReview' });
    const { acting, asked } = youtubeOf({
      'GET commentThreads': ok({ items: [held, { nonsense: 1 }], nextPageToken: 'p2' }),
    });
    const filters = { moderation_status: 'held_for_review', order: 'relevance', q: 'rye' };
    const page = await comments.list!(acting, { post: 'v-1' }, { limit: 25, cursor: 'p1', filters });
    expect(asked[0]!.query).toMatchObject({
      videoId: 'v-1',
      maxResults: '25',
      pageToken: 'p1',
      moderationStatus: 'heldForReview',
      order: 'relevance',
      searchTerms: 'rye',
      textFormat: 'plainText',
    });
    expect(page.cursor).toBe('p2');
    expect(page.items).toEqual([
      {
        platform_id: 'c-1',
        platform_post_id: 'v-1',
        author: {
          id: 'UCf',
          name: '@UCf',
          avatar_url: 'https://cdn.test/a.jpg',
          profile_url: 'https://www.youtube.com/channel/UCf',
        },
        is_owner: false,
        text: 'Rye?',
        media: [],
        created_at: NOW,
        permalink: 'https://www.youtube.com/watch?v=v-1&lc=c-1',
        like_count: 2,
        reply_count: 0,
        is_hidden: true,
        is_liked: false,
        capabilities: { can_reply: true, can_delete: true, can_hide: true, can_like: false, can_private_reply: false },
      },
    ]);
    expect(comments.order).toBe('newest');
    await comments.list!(acting, { post: 'v-1' }, { limit: 200 });
    expect(asked[1]!.query).toMatchObject({ order: 'time', maxResults: '100' });
    expect(asked[1]!.query).not.toHaveProperty('moderationStatus');
    const wrong = comments.list!(acting, { post: 'v-1' }, { limit: 1, filters: { moderation_status: 'odd' } });
    await expect(wrong).rejects.toMatchObject({ reason: 'invalid_request' });
  });

  it('are answered below their thread, also a reply', async () => {
    const { acting, asked } = youtubeOf({
      'GET comments': ok({ items: [reply('c-1.r', 'UC1', 'Yes')], nextPageToken: 'p2' }),
      'POST comments': ok({ id: 'c-1.s' }),
      'POST commentThreads': ok({ id: 'c-2' }),
    });
    const place = { post: 'v-1', comment: 'c-1.r' };
    const page = await comments.replies!(acting, place, { limit: 10 });
    expect(page.items).toMatchObject([{ platform_id: 'c-1.r', parent_id: 'c-1', is_owner: true }]);
    const state = { prepared: null, correlationId: 's', sentAt: NOW };
    expect(await comments.reply!.send(acting, { ...place, text: 'Thanks' }, state)).toEqual({ comment_id: 'c-1.s' });
    expect(await comments.reply!.send(acting, { post: 'v-1', text: 'Hello' }, state)).toEqual({ comment_id: 'c-2' });
    expect(asked[0]!.query['parentId']).toBe('c-1');
    expect(asked[1]!.body).toEqual({ snippet: { parentId: 'c-1', textOriginal: 'Thanks' } });
    expect(asked.map(({ request }) => request.cost)).toEqual([1, 50, 50].map((units) => ({ bucket: 'units', units })));
  });

  it('whose answer was lost are looked for among ours', async () => {
    const script: Script = {
      'GET comments': items(reply('c-1.a', 'UCf', 'Thanks'), reply('c-1.b', 'UC1', 'Thanks')),
      'GET commentThreads': items(thread('c-2', 'UC1', 'Hello'), thread('c-3', 'UC1', 'Hello')),
    };
    const { acting } = youtubeOf(script);
    const state = { prepared: null, correlationId: 's', sentAt: NOW, taken: new Set<string>() };
    const settle = comments.reply!.settle!;
    const below = { post: 'v-1', comment: 'c-1', text: 'Thanks' };
    expect(await settle(acting, below, state)).toEqual({ comment_id: 'c-1.b' });
    expect(await settle(acting, { post: 'v-1', text: 'Hello' }, state)).toBe('unknown');
    const taken = { ...state, taken: new Set(['c-3']) };
    expect(await settle(acting, { post: 'v-1', text: 'Hello' }, taken)).toEqual({ comment_id: 'c-2' });
  });

  it('are held, shown, and deleted; those of others are rejected', async () => {
    const { acting, asked, calls } = youtubeOf({
      'POST comments/setModerationStatus': answer(204, ''),
      'DELETE comments': [answer(204, ''), refusal(403, 'forbidden'), refusal(404, 'commentNotFound')],
    });
    const place = { post: 'v-1', comment: 'c-1' };
    await comments.hide!(acting, place, true);
    await comments.hide!(acting, place, false);
    await comments.remove!(acting, place);
    await comments.remove!(acting, place);
    await comments.remove!(acting, place);
    const asks = asked.map(({ query }) => query['moderationStatus'] ?? 'none');
    expect(asks).toEqual(['heldForReview', 'published', 'none', 'none', 'rejected', 'none']);
    expect(calls().at(-1)).toBe('DELETE comments');
  });

  it('are told from videos by the thread they are in', async () => {
    const { acting } = youtubeOf({ 'GET commentThreads': [items(thread('c-1', 'UCf', 'Rye?')), items()] });
    expect(await comments.isComment(acting, { post: 'v-1', comment: 'c-1.r' })).toBe(true);
    const unknown = comments.isComment(acting, { post: 'v-1', comment: 'c-9' });
    await expect(unknown).rejects.toMatchObject({ reason: 'not_found' });
  });
});

describe('polling', () => {
  it('sets a baseline, then reports what is new on any video, replies too', async () => {
    const old = thread('c-1', 'UCf', 'Old');
    const later = reply('c-1.r', 'UCm', 'And I', { publishedAt: iso(NOW + 2000) });
    const answered = thread('c-1', 'UCf', 'Old', {}, [later]);
    const fresh = thread('c-2', 'UCf', 'New', { publishedAt: iso(NOW + 1000) });
    const elsewhere = { id: 'c-9', snippet: { topLevelComment: { id: 'c-9', snippet: snippet('UCf', 'Channel') } } };
    const { acting, asked } = youtubeOf({ 'GET commentThreads': [items(old), items(fresh, answered, elsewhere)] });
    const { read, cost } = youtube.inbox!.poll!;
    const first = await read(acting, undefined);
    expect([first.events, first.baseline?.length]).toEqual([[], 1]);
    const second = await read(acting, first.cursor);
    const told = second.events.map((event) => event.kind === 'comment' && event.comment.platform_id);
    expect(told).toEqual(['c-2', 'c-1.r']);
    expect(asked[0]!.query).toMatchObject({ allThreadsRelatedToChannelId: 'UC1', order: 'time' });
    const unit = { bucket: 'units', units: 1 };
    expect([cost, asked[0]!.request.cost]).toEqual([unit, unit]);
    const units = { limit: 10_000, zone: 'America/Los_Angeles' };
    expect(youtube.quotas).toMatchObject({ units, uploads: { limit: 100 } });
  });
});

describe('reads', () => {
  const upload = (id: string) => ({ contentDetails: { videoId: id }, snippet: { title: id, publishedAt: iso(NOW) } });
  const video = (id: string, more: object = {}) => ({
    id,
    snippet: {
      title: id,
      description: `About ${id}`,
      publishedAt: iso(NOW),
      thumbnails: { high: { url: 'https://cdn.test/t.jpg' } },
    },
    status: { uploadStatus: 'processed' },
    statistics: { viewCount: '12', commentCount: '1' },
    ...more,
  });

  it('list the uploads with their counts; hidden ones are 0', async () => {
    const { acting, asked } = youtubeOf({
      'GET playlistItems': ok({ items: [upload('v-1'), upload('v-2'), upload('v-3')], nextPageToken: 'p2' }),
      'GET videos': items(video('v-2', { status: { uploadStatus: 'failed' } }), video('v-3'), video('v-1')),
    });
    const { posts, cursor } = await list!(acting, { limit: 25 });
    expect([posts.map(({ platform_post_id }) => platform_post_id), cursor]).toEqual([['v-1', 'v-3'], 'p2']);
    expect(posts[0]).toMatchObject({
      text: 'About v-1',
      permalink: 'https://www.youtube.com/watch?v=v-1',
      metrics: { likes: 0, comments: 1, shares: 0, saves: 0, extra: { views: 12 } },
    });
    expect(asked[0]!.query).toMatchObject({ playlistId: 'UU1', maxResults: '25' });
    expect(asked[1]!.query['id']).toBe('v-1,v-2,v-3');
  });

  it('measure 50 videos at a time', async () => {
    const { acting, asked } = youtubeOf({
      'GET videos': ({ query }) => ({
        items: query['id']!.split(',').map((id) => ({ id, statistics: { likeCount: '3' } })),
      }),
    });
    const posts = [...Array(51)].map((_, at) => ({ id: `v-${at}`, metadata: {} }));
    const found = await metrics!(acting, posts);
    expect([found.size, asked.length, found.get('v-50')]).toMatchObject([51, 2, { likes: 3 }]);
  });
});

describe('the hub', () => {
  const TOPIC = 'https://www.youtube.com/xml/feeds/videos.xml?channel_id=UC1';
  const trust = { hosts: youtube.hosts.real, account: 'hubsecret' } as unknown as PushTrust;
  const request = (body: string, signature = '') => ({
    path: '',
    headers: { 'x-hub-signature': signature },
    body: Buffer.from(body),
  });

  it('is asked for the feed of the channel with a secret, and told when to stop', async () => {
    const { acting, asked } = youtubeOf({ 'POST /subscribe': answer(202, '') });
    const target = { callback: 'https://a.test/push/youtube/x', verifyToken: '', secret: 'hubsecret' };
    const made = await push.subscribe!(acting, target);
    expect(made).toEqual({ kept: { callback: target.callback, topic: TOPIC }, isUnconfirmed: true });
    await push.unsubscribe!(acting, made!.kept, false);
    expect(asked.map(({ form }) => form)).toMatchObject([
      { 'hub.mode': 'subscribe', 'hub.topic': TOPIC, 'hub.callback': target.callback, 'hub.secret': 'hubsecret' },
      { 'hub.mode': 'unsubscribe', 'hub.topic': TOPIC, 'hub.callback': target.callback },
    ]);
    const unwilling = youtubeOf({ 'POST /subscribe': answer(503, '') });
    await expect(push.subscribe!(unwilling.acting, target)).rejects.toMatchObject({ kind: 'unknown' });
    const picky = youtubeOf({ 'POST /subscribe': [answer(400, ''), answer(202, ''), answer(204, '')] });
    const other = await push.subscribe!(picky.acting, target);
    const topic = TOPIC.replace('/xml/', '/');
    expect(other).toMatchObject({ kept: { topic } });
    await push.unsubscribe!(picky.acting, other!.kept, false);
    expect(picky.asked[2]!.form).toMatchObject({ 'hub.mode': 'unsubscribe', 'hub.topic': topic });
  });

  it.each([
    ['432000', 432_000],
    ['864000', 864_000],
    ['99999999', 864_000],
    ['-1', undefined],
    ['soon', undefined],
    [undefined, undefined],
  ])('grants a lease of %s, which counts %s seconds', (seconds, lease) => {
    const named: Record<string, string> = seconds === undefined ? {} : { 'hub.lease_seconds': seconds };
    const asked = { 'hub.mode': 'subscribe', 'hub.topic': TOPIC, 'hub.challenge': 'abc', ...named };
    expect(answerHandshake(push, asked, trust)).toEqual({ type: 'text', body: 'abc', lease });
    const elsewhere = { ...asked, 'hub.topic': TOPIC.replace('/xml/', '/') };
    expect(answerHandshake(push, elsewhere, trust)).toMatchObject({ lease });
  });

  it('is answered with its challenge, for our feeds alone', () => {
    const asked = { 'hub.mode': 'subscribe', 'hub.topic': TOPIC, 'hub.challenge': 'abc' };
    expect(answerHandshake(push, asked, trust)).toMatchObject({ type: 'text', body: 'abc' });
    expect(answerHandshake(push, { ...asked, 'hub.topic': 'https://evil.test/feed' }, trust)).toBeUndefined();
    expect(answerHandshake(push, { ...asked, 'hub.mode': 'denied' }, trust)).toBeUndefined();
    const ending = { ...trust, ending: true } as const;
    const ended = { ...asked, 'hub.mode': 'unsubscribe' };
    expect([answerHandshake(push, ended, trust), answerHandshake(push, asked, ending)]).toEqual([undefined, undefined]);
    expect(answerHandshake(push, ended, ending)).toEqual({ type: 'text', body: 'abc' });
    expect(answerHandshake(push, { ...asked, 'hub.challenge': '' }, trust)).toBeUndefined();
  });

  it('signs with SHA-1', () => {
    expect(push.verify(request('<feed/>', 'sha1=48baeb85e2153a4a692fcb75ffd634ead2fa1c55'), trust)).toBe(true);
    const other = createHmac('sha1', 'other').update('<feed/>').digest('hex');
    expect(push.verify(request('<feed/>', `sha1=${other}`), trust)).toBe(false);
    expect(push.verify(request('<feed/>'), trust)).toBe(false);
  });

  it('tells of videos, and of deleted ones nothing', () => {
    const feed = `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Feed</title>
      <entry><id>yt:video:v-1</id><yt:videoId>v-1</yt:videoId><title>Rye &amp; wheat</title>
      <author><name>Bakery</name></author><published>${iso(NOW)}</published></entry>
      <at:deleted-entry ref="yt:video:v-2"/></feed>`;
    const post = { platform_id: 'v-1', text: 'Rye & wheat', comment_count: 0, like_count: 0, published_at: NOW };
    expect(push.read(request(feed))).toEqual([{ event: { kind: 'post', post } }]);
    expect(push.read(request('nonsense'))).toEqual([]);
  });
});
