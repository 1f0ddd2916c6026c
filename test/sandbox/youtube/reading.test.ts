import { HOUR, DAY } from '#kernel/clock.ts';
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { mp4 } from '../../harness/media-samples.ts';
import {
  FRED,
  NORA,
  OLIVIA,
  openCallback,
  openYoutubeWorld,
  SAM,
  type YoutubeWorld,
} from '../../harness/worlds/twins/youtube.ts';

const video = mp4({});

let world: YoutubeWorld;
beforeAll(async () => {
  world = await openYoutubeWorld();
});
beforeEach(() => world.sandbox.reset());
afterAll(() => world.close());

const mine = async (token: string) =>
  (await world.get('/youtube/v3/channels', token, { part: 'id,snippet,contentDetails,statistics', mine: 'true' })).json;
const threads = (token: string, query: Record<string, string>) =>
  world.get('/youtube/v3/commentThreads', token, { part: 'snippet,replies', ...query });
const texts = async (token: string, query: Record<string, string>) =>
  (await threads(token, query)).json.items.map(({ snippet }: any) => snippet.topLevelComment.snippet.textOriginal);

describe('the log-in', () => {
  it('is bound to one channel, which the person picks', async () => {
    const page = await world.ask(world.dialog());
    for (const words of ['Harbour Coffee', 'Single Origin', 'Second Cup', 'Nora Newcomer'])
      expect(page.text).toContain(words);
    const { items } = await mine(await world.login());
    expect(items).toMatchObject([
      {
        id: expect.stringMatching(/^UC[\w-]{22}$/),
        snippet: { title: 'Harbour Coffee', customUrl: '@harbourcoffee' },
        statistics: { viewCount: '0', subscriberCount: '0', hiddenSubscriberCount: false, videoCount: '0' },
      },
    ]);
    const [, second] = (await world.list('channels')).filter(({ title }: any) => /Origin|Cup/.test(title));
    const token = await world.login(second.id);
    expect((await mine(token)).items).toMatchObject([{ snippet: { title: 'Second Cup' } }]);
    const { headers } = await world.ask(`${world.at}/accounts/o/oauth2/other`);
    expect(headers.get('location')).toBeNull();
  });

  it('has nothing to show of somebody without a channel', async () => {
    const token = await world.login(NORA);
    expect((await mine(token)).items).toEqual([]);
    await world.act('settings', { signup_required: 'true' });
    expect((await mine(token)).error.errors[0].reason).toBe('youtubeSignupRequired');
    await world.act('revoke_app', { person: NORA });
    expect((await mine(token)).error).toMatchObject({ code: 401, errors: [{ reason: 'authError' }] });
  });
});

describe('videos', () => {
  it('are in the playlist of uploads, newest first, in pages; their numbers are texts', async () => {
    const token = await world.login();
    const ids = [];
    for (let n = 0; n < 3; n += 1) {
      ids.unshift((await world.upload(token, video, { title: `Video ${n}` })).id);
      world.clock.move(1000);
    }
    const { uploads: playlistId } = (await mine(token)).items[0].contentDetails.relatedPlaylists;
    const page = async (query: object) =>
      (
        await world.get('/youtube/v3/playlistItems', token, {
          part: 'contentDetails,snippet,status',
          playlistId,
          ...query,
        })
      ).json;
    const first = await page({ maxResults: '2' });
    expect(first.items.map(({ contentDetails }: any) => contentDetails.videoId)).toEqual(ids.slice(0, 2));
    expect([first.pageInfo.totalResults, first.prevPageToken]).toEqual([3, undefined]);
    const rest = await page({ maxResults: '2', pageToken: first.nextPageToken });
    expect([rest.items.length, rest.nextPageToken]).toEqual([1, undefined]);
    expect((await page({ maxResults: '3', pageToken: first.nextPageToken })).error.errors[0].reason).toBe(
      'invalidPageToken',
    );
    expect((await page({ maxResults: '51' })).error.code).toBe(400);
    expect((await page({ playlistId: 'UUnone' })).error.errors[0].reason).toBe('playlistNotFound');

    await world.act('watch', { video: ids[0], views: '12', likes: '3' });
    await world.act('set_video', { video: ids[1], hidden_likes: 'true', closed: 'true' });
    const stats = await world.get('/youtube/v3/videos', token, { part: 'statistics', id: ids.join(',') });
    expect(stats.json.items.map(({ statistics }: any) => statistics)).toEqual([
      { viewCount: '12', likeCount: '3', favoriteCount: '0', commentCount: '0' },
      { viewCount: '0', favoriteCount: '0' },
      { viewCount: '0', likeCount: '0', favoriteCount: '0', commentCount: '0' },
    ]);
    const query = `part=snippet&part=status&id=${ids[0]}&id=${ids[1]}`;
    const repeated = await world.ask(`${world.at}/googleapis/youtube/v3/videos?${query}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(repeated.json.items.map((one: any) => Object.keys(one))).toEqual(
      Array.from({ length: 2 }, () => ['kind', 'etag', 'id', 'snippet', 'status']),
    );
    expect((await world.get('/youtube/v3/videos', token, { id: ids[0]! })).json.error.errors[0].reason).toBe(
      'missingRequiredParameter',
    );
  });

  it('that are private or not ready are seen by their channel alone', async () => {
    const [token, other] = [await world.login(), await world.login(SAM)];
    const { id } = await world.upload(token, video, {}, { privacyStatus: 'private' });
    expect((await world.get('/youtube/v3/videos', other, { part: 'id', id })).json.items).toEqual([]);
    const { id: open } = await world.upload(token, video);
    const [channel] = (await mine(token)).items;
    const seen = async (access: string) =>
      (
        await world.get('/youtube/v3/playlistItems', access, {
          part: 'contentDetails',
          playlistId: channel.contentDetails.relatedPlaylists.uploads,
        })
      ).json.items.length;
    expect([await seen(token), await seen(other)]).toEqual([2, 0]);
    world.clock.move(5000);
    expect(await seen(other)).toBe(1);
    const page = await world.ask(`${world.at}/www/channel/${channel.id}`);
    expect(page.text.match(/watch\?v=/g)).toHaveLength(1);
    expect(page.text).toContain(open);
  });
});

describe('comments', () => {
  /** A public video of Olivia's channel with three threads. */
  async function begin() {
    const token = await world.login();
    const { id } = await world.upload(token, video);
    const said: string[] = [];
    for (const text of ['First', 'Second cup?', 'Third']) {
      said.push(await world.act('comment', { person: FRED, video: id, text }));
      world.clock.move(1000);
    }
    const [channel] = (await mine(token)).items;
    return { token, id, said, channel: channel.id as string };
  }

  it('are listed newest first, in pages, by words and by what is liked', async () => {
    const { token, id, said, channel } = await begin();
    expect(await texts(token, { videoId: id })).toEqual(['Third', 'Second cup?', 'First']);
    expect(await texts(token, { allThreadsRelatedToChannelId: channel })).toHaveLength(3);
    expect(await texts(token, { videoId: id, searchTerms: 'CUP' })).toEqual(['Second cup?']);
    await world.act('like_comment', { comment: said[1] });
    expect(await texts(token, { videoId: id, order: 'relevance' })).toEqual(['Second cup?', 'Third', 'First']);
    const first = (await threads(token, { videoId: id, maxResults: '2' })).json;
    expect(first.items).toHaveLength(2);
    expect(await texts(token, { videoId: id, maxResults: '2', pageToken: first.nextPageToken })).toEqual(['First']);
    const [top] = (await threads(token, { id: said[0]! })).json.items;
    expect(top.snippet.topLevelComment.snippet).toMatchObject({
      authorDisplayName: '@fred',
      authorChannelId: { value: expect.stringMatching(/^UC/) },
      likeCount: 0,
      textDisplay: 'First',
    });
    expect((await threads(token, { videoId: 'none' })).json.error.errors[0].reason).toBe('videoNotFound');
    expect((await threads(token, {})).json.error.errors[0].reason).toBe('missingRequiredParameter');
  });

  it('are answered, and threads show five replies at most', async () => {
    const { token, said } = await begin();
    const insert = (parentId: string, textOriginal: string, access = token) =>
      world.post('/youtube/v3/comments', access, { snippet: { parentId, textOriginal } }, { part: 'snippet' });
    const { json } = await insert(said[0]!, 'Thank you');
    expect(json).toMatchObject({
      id: expect.stringContaining(`${said[0]}.`),
      snippet: { parentId: said[0], textOriginal: 'Thank you', authorDisplayName: '@harbourcoffee' },
    });
    expect((await insert(json.id, 'x')).json.error.errors[0].reason).toBe('parentCommentNotFound');
    expect((await insert(said[0]!, '')).json.error.errors[0].reason).toBe('commentTextRequired');
    expect((await insert(said[0]!, 'a'.repeat(10_001))).json.error.errors[0].reason).toBe('commentTextTooLong');
    for (let n = 0; n < 6; n += 1) await world.act('reply', { person: FRED, comment: said[0], text: `Reply ${n}` });
    const [thread] = (await threads(token, { id: said[0]! })).json.items;
    expect([thread.snippet.totalReplyCount, thread.replies.comments.length]).toEqual([7, 5]);
    const replies = await world.get('/youtube/v3/comments', token, {
      part: 'snippet',
      parentId: said[0]!,
      maxResults: '100',
    });
    expect(replies.json.items).toHaveLength(7);
    const edited = await world.put(
      '/youtube/v3/comments',
      token,
      { id: json.id, snippet: { textOriginal: 'Thanks' } },
      { part: 'snippet' },
    );
    expect(edited.json.snippet.textDisplay).toBe('Thanks');
    expect((await world.del('/youtube/v3/comments', token, { id: said[0]! })).status).toBe(403);
    expect((await world.del('/youtube/v3/comments', token, { id: json.id })).status).toBe(204);
    expect((await world.del('/youtube/v3/comments', token, { id: json.id })).json.error.errors[0].reason).toBe(
      'commentNotFound',
    );
  });

  it('are held, shown again and rejected by their channel', async () => {
    const { token, id, said } = await begin();
    const moderate = (comment: string, moderationStatus: string, access = token, more = {}) =>
      world.post('/youtube/v3/comments/setModerationStatus', access, {}, { id: comment, moderationStatus, ...more });
    expect((await moderate(said[0]!, 'heldForReview')).status).toBe(204);
    await world.act('comment', { person: FRED, video: id, text: 'Buy now', state: 'likelySpam' });
    expect(await texts(token, { videoId: id })).toEqual(['Third', 'Second cup?']);
    expect(await texts(token, { videoId: id, moderationStatus: 'heldForReview' })).toEqual(['First']);
    expect(await texts(token, { videoId: id, moderationStatus: 'likelySpam' })).toEqual(['Buy now']);
    expect((await world.ask(`${world.at}/www/watch?v=${id}`)).text).not.toContain('First');
    const other = await world.login(SAM);
    expect((await threads(other, { videoId: id, moderationStatus: 'heldForReview' })).status).toBe(403);
    expect((await moderate(said[1]!, 'rejected', other)).status).toBe(403);
    expect((await moderate(said[0]!, 'published')).status).toBe(204);
    expect(await texts(token, { videoId: id })).toHaveLength(3);
    expect((await moderate(said[0]!, 'published', token, { banAuthor: 'true' })).json.error.errors[0].reason).toBe(
      'banWithoutReject',
    );
    expect((await moderate(said[2]!, 'rejected', token, { banAuthor: 'true' })).status).toBe(204);
    expect((await moderate(said[2]!, 'published')).json.error.errors[0].reason).toBe('commentNotFound');
  });

  it('are drawn in the console with what viewers can do, the held ones too', async () => {
    const { token, said } = await begin();
    const moderationStatus = 'heldForReview';
    await world.post('/youtube/v3/comments/setModerationStatus', token, {}, { id: said[0]!, moderationStatus });
    const page = await world.ask('/sandbox/youtube');
    expect(page.status).toBe(200);
    for (const words of ['A video', 'Second cup?', 'First', 'heldForReview', 'End the processing', 'Spend the quota'])
      expect(page.text).toContain(words);
  });

  it('begin with one of the channel, where comments are open', async () => {
    const { token, id } = await begin();
    const insert = (videoId: string) =>
      world.post(
        '/youtube/v3/commentThreads',
        token,
        { snippet: { videoId, topLevelComment: { snippet: { textOriginal: 'First from us' } } } },
        { part: 'snippet' },
      );
    expect((await insert(id)).json.snippet.topLevelComment.snippet.textOriginal).toBe('First from us');
    const kids = await world.upload(token, video, {}, { selfDeclaredMadeForKids: true });
    expect((await insert(kids.id)).json.error.errors[0].reason).toBe('commentsDisabled');
    expect((await threads(token, { videoId: kids.id })).json.error.errors[0].reason).toBe('commentsDisabled');
    const hidden = await world.upload(token, video, {}, { privacyStatus: 'private' });
    expect((await insert(hidden.id)).status).toBe(403);
    const readonly = await world.login(OLIVIA, { scopes: 'https://www.googleapis.com/auth/youtube' });
    const reply = { snippet: { parentId: 'x', textOriginal: 'x' } };
    expect(
      (await world.post('/youtube/v3/comments', readonly, reply, { part: 'snippet' })).json.error.errors[0].reason,
    ).toBe('insufficientPermissions');
  });
});

it('quota ends with the day of California, and writing costs fifty times as much as reading', async () => {
  const token = await world.login();
  const used = async () => Reflect.get(await world.list('quota'), 'units');
  const { id } = await world.upload(token, video);
  const before = await used();
  await world.get('/youtube/v3/videos', token, { part: 'id', id });
  await world.put('/youtube/v3/videos', token, { id, snippet: { title: 'x' } }, { part: 'snippet' });
  await world.get('/youtube/v3/videos', token, { id });
  expect((await used()) - before).toBe(52);
  await world.act('spend_quota', { used: '9999' });
  expect((await world.get('/youtube/v3/videos', token, { part: 'id', id })).status).toBe(200);
  expect((await world.get('/youtube/v3/videos', token, { part: 'id', id })).json.error).toMatchObject({
    code: 403,
    errors: [{ domain: 'youtube.quota', reason: 'quotaExceeded' }],
  });
  world.clock.move(20 * HOUR);
  const later = await world.login();
  expect((await world.get('/youtube/v3/videos', later, { part: 'id', id })).status).toBe(200);
});

describe('the hub', () => {
  const subscribe = async (form: Record<string, string>) => {
    const reply = await world.ask(`${world.at}/hub/subscribe`, { method: 'POST', body: new URLSearchParams(form) });
    await world.sandbox.settle();
    return reply.status;
  };
  async function begin() {
    const callback = await openCallback();
    onTestFinished(callback.close);
    const token = await world.login();
    const [{ id: channel }] = (await mine(token)).items;
    const form = {
      'hub.mode': 'subscribe',
      'hub.topic': `https://www.youtube.com/xml/feeds/videos.xml?channel_id=${channel}`,
      'hub.callback': callback.url,
      'hub.verify': 'async',
      'hub.secret': 'hubsecret',
      'hub.lease_seconds': '864000',
    };
    return { callback, token, channel, form };
  }

  it('asks the callback, and tells it of videos in signed feeds', async () => {
    const { callback, token, channel, form } = await begin();
    expect(await subscribe(form)).toBe(202);
    expect(Object.fromEntries(callback.asked[0]!)).toMatchObject({
      account: '1',
      'hub.mode': 'subscribe',
      'hub.topic': form['hub.topic'],
      'hub.lease_seconds': '864000',
    });
    const { id } = await world.upload(token, video, { title: 'Fish & chips' });
    await world.upload(token, video, {}, { privacyStatus: 'unlisted' });
    await world.put('/youtube/v3/videos', token, { id, snippet: { title: 'Chips' } }, { part: 'snippet' });
    await world.del('/youtube/v3/videos', token, { id });
    expect(callback.got).toHaveLength(3);
    const [made, changed, gone] = callback.got;
    for (const part of [
      `<yt:videoId>${id}</yt:videoId>`,
      `<yt:channelId>${channel}</yt:channelId>`,
      'Fish &#38; chips',
    ])
      expect(made!.body).toContain(part);
    expect(changed!.body).toContain('<title>Chips</title>');
    expect(gone!.body).toContain(`<at:deleted-entry ref="yt:video:${id}"`);
    for (const { headers, body } of callback.got) {
      expect(headers['content-type']).toBe('application/atom+xml');
      expect(headers['x-hub-signature']).toBe(`sha1=${createHmac('sha1', 'hubsecret').update(body).digest('hex')}`);
    }
    const feed = await world.ask(`${world.at}/feeds/xml/feeds/videos.xml?channel_id=${channel}`);
    expect([feed.status, feed.text.includes('<feed')]).toEqual([200, true]);
  });

  it('forgets those who do not prove themselves, unsubscribe, or let the lease end', async () => {
    const { callback, token, form } = await begin();
    await subscribe({ ...form, 'hub.lease_seconds': '99999999' });
    const tell = async () => {
      const before = callback.got.length;
      await world.upload(await world.login(), video);
      return callback.got.length - before;
    };
    expect(callback.asked[0]!.get('hub.lease_seconds')).toBe('864000');
    expect(await tell()).toBe(1);
    await world.act('settings', { push_wrong_signature: 'true' });
    await tell();
    const { headers, body } = callback.got.at(-1)!;
    expect(headers['x-hub-signature']).not.toBe(`sha1=${createHmac('sha1', 'hubsecret').update(body).digest('hex')}`);
    world.clock.move(10 * DAY);
    expect(await tell()).toBe(0);
    await subscribe(form);
    expect(await tell()).toBe(1);
    expect(await subscribe({ ...form, 'hub.mode': 'unsubscribe', 'hub.verify': 'sync' })).toBe(204);
    expect(await tell()).toBe(0);
    callback.refuse();
    await subscribe(form);
    expect(await world.list('subscriptions')).toEqual([]);
    expect(token).toBeDefined();
  });

  it.each<Record<string, string>>([
    { 'hub.mode': 'publish' },
    { 'hub.topic': 'https://example.com/feed' },
    { 'hub.callback': 'nowhere' },
    { 'hub.secret': 'a'.repeat(201) },
  ])('refuses %o', async (wrong) => {
    const { form } = await begin();
    expect(await subscribe({ ...form, ...wrong })).toBe(400);
  });
});
