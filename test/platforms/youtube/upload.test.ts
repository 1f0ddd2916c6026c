import { describe, expect, it } from 'vitest';
import type { Done, OutgoingPost, PublishCall } from '#platforms/posts.ts';
import { youtube } from '#platforms/youtube/index.ts';
import { opened } from '../../harness/opened.ts';
import { answer, type Asked, lost, NOW, ok, type Script } from '../../harness/platforms/script.ts';
import { refusal, youtubeOf } from './script.ts';
import { postOf } from '../../harness/platforms/steps.ts';

const { publish, check, remove } = youtube.posts!;
const PART = 8 * 1024 * 1024;
const SIZE = 2 * PART + 100;
const FILM = {
  ...opened(Buffer.alloc(0), 'video/mp4'),
  size: SIZE,
  read: async (_: number, length: number) => Buffer.alloc(length),
};
const URL_ = 'https://www.googleapis.com/session';
const VIDEO = ok({ id: 'v-1' });

const post = (more: Partial<OutgoingPost> = {}) =>
  postOf({ text: 'How we bake', title: 'Bread', media: [{ ref: 'film', kind: 'video' }], ...more });

/** A session that stores what it gets, as far as it says; its answers can be replaced. */
function sessionOf(more: Readonly<{ stored?: number; put?(range: string, nth: number): unknown }> = {}) {
  let stored = more.stored ?? 0;
  let nth = 0;
  const reply = ({ request }: Asked) => {
    const range = request.headers!['content-range']!.replace('bytes ', '');
    nth += 1;
    const instead = more.put?.(range, nth);
    if (instead !== undefined) return instead;
    const [, from, to] = /^(\d+)-(\d+)\//.exec(range) ?? [];
    if (from !== undefined) {
      if (Number(from) !== stored) return answer(400, {});
      stored = Number(to) + 1;
    }
    if (stored === SIZE) return VIDEO;
    return answer(308, '', stored === 0 ? {} : { range: `bytes=0-${stored - 1}` });
  };
  return { 'PUT /session': reply } satisfies Script;
}

async function upload(script: Script, kept?: object, clock?: { now: number }) {
  const { acting, asked, calls } = youtubeOf(script, clock);
  const keeps: Record<string, unknown>[] = [];
  const call: PublishCall = {
    ...acting,
    post: post(),
    done: { session: { url: URL_, began: NOW } },
    kept,
    keep: async (value) => void keeps.push(value as Record<string, unknown>),
    open: async () => FILM,
  };
  const result = publish.run(call, 'upload').catch((error: unknown) => error);
  return {
    result: await result,
    asked,
    calls,
    keeps,
    ranges: asked.map(({ request }) => request.headers?.['content-range']),
  };
}

describe('an upload', () => {
  it('begins with what the video is, and what it will weigh', async () => {
    const script = { 'POST videos': answer(200, '', { location: URL_ }) };
    const { acting, asked } = youtubeOf(script);
    const options = { tags: ['rye'], category_id: '26', made_for_kids: true, notify_subscribers: false };
    const call: PublishCall = { ...acting, post: post({ options }), done: {}, open: async () => FILM };
    expect(await publish.run(call, 'session')).toEqual({ url: URL_, began: NOW });
    const [{ request, query, body }] = asked as [Asked];
    expect(query).toEqual({ uploadType: 'resumable', part: 'snippet,status', notifySubscribers: 'false' });
    expect(request.headers).toMatchObject({
      'x-upload-content-type': 'video/mp4',
      'x-upload-content-length': String(SIZE),
      authorization: 'Bearer access-1',
    });
    expect(request.cost).toEqual({ bucket: 'uploads', units: 1 });
    expect(body).toEqual({
      snippet: { title: 'Bread', description: 'How we bake', tags: ['rye'], categoryId: '26' },
      status: { privacyStatus: 'public', selfDeclaredMadeForKids: true },
    });
    const [first] = publish.steps(post());
    expect(first).toEqual({ name: 'session', kind: 'invisible', secret: true });
  });

  it('goes in parts of 8 MiB, each noted, the last one before it leaves', async () => {
    const { result, ranges, keeps } = await upload(sessionOf());
    expect(result).toEqual({ id: 'v-1' });
    expect(ranges).toEqual([
      `bytes 0-${PART - 1}/${SIZE}`,
      `bytes ${PART}-${2 * PART - 1}/${SIZE}`,
      `bytes ${2 * PART}-${SIZE - 1}/${SIZE}`,
    ]);
    expect(keeps.map(({ at, isWhole, id }) => [at, isWhole, id])).toEqual([
      [0, undefined, undefined],
      [PART, undefined, undefined],
      [2 * PART, undefined, undefined],
      [2 * PART, true, undefined],
      [SIZE, true, 'v-1'],
    ]);
  });

  it('goes on where YouTube says, not where we were', async () => {
    const kept = { url: URL_, began: NOW, at: 2 * PART };
    const { result, ranges } = await upload(sessionOf({ stored: 300_000 }), kept);
    expect(result).toEqual({ id: 'v-1' });
    expect(ranges.slice(0, 2)).toEqual([`bytes */${SIZE}`, `bytes 300000-${300_000 + PART - 1}/${SIZE}`]);
  });

  it('follows a part of which only a half was taken', async () => {
    const half = answer(308, '', { range: `bytes=0-${PART / 2 - 1}` });
    const session = sessionOf({ stored: PART / 2, put: (range, nth) => (nth === 1 ? half : undefined) });
    const { result, ranges } = await upload(session);
    expect(result).toEqual({ id: 'v-1' });
    expect(ranges[1]).toBe(`bytes ${PART / 2}-${PART / 2 + PART - 1}/${SIZE}`);
  });

  it('is asked for after a lost answer to the last part, and is the video there', async () => {
    const first = await upload(
      sessionOf({ stored: 2 * PART, put: (range) => (range.startsWith('*') ? undefined : lost()) }),
      {
        url: URL_,
        began: NOW,
        at: 2 * PART,
      },
    );
    expect(first.result).toMatchObject({ kind: 'unknown' });
    const kept = first.keeps.at(-1)!;
    expect(kept['isWhole']).toBe(true);
    const again = await upload(sessionOf({ stored: SIZE }), kept);
    expect([again.result, again.ranges]).toEqual([{ id: 'v-1' }, [`bytes */${SIZE}`]]);
  });

  it.each([
    [answer(503, {}), 'unknown'],
    [answer(308, ''), 'unknown'],
    [answer(401, {}), 'refused'],
    [answer(404, {}), 'unknown'],
    [lost(false), 'not_sent'],
  ])('that meets %o at a part says no more than it knows', async (reply, kind) => {
    const { result } = await upload({ 'PUT /session': reply });
    expect(result).toMatchObject({ kind });
  });

  const BEGUN = { 'POST videos': answer(200, '', { location: `${URL_}-2` }) };
  const gone = (more: Script = {}): Script => ({
    'PUT /session': answer(404, {}),
    'PUT /session-2': sessionOf()['PUT /session'],
    ...BEGUN,
    ...more,
  });

  it('whose session is gone before the last part begins anew', async () => {
    const { result, calls, keeps } = await upload(gone(), { url: URL_, began: NOW, at: PART });
    expect(result).toEqual({ id: 'v-1' });
    expect(calls()).toEqual(['PUT /session', 'POST videos', 'PUT /session-2', 'PUT /session-2', 'PUT /session-2']);
    expect(keeps[0]).toMatchObject({ url: `${URL_}-2`, at: 0 });
  });

  const WHOLE = { url: URL_, began: NOW, at: 2 * PART, isWhole: true };
  const listed = (...titles: readonly string[]) =>
    ok({
      items: titles.map((title, at) => ({
        contentDetails: { videoId: `v-${at + 7}` },
        snippet: { title, publishedAt: new Date(NOW + 1000).toISOString() },
      })),
    });

  it('whose session is gone after the last part is looked for among the uploads', async () => {
    const { result, calls } = await upload(gone({ 'GET playlistItems': listed('Cake', 'Bread') }), WHOLE);
    expect(result).toEqual({ id: 'v-8' });
    expect(calls()).toEqual(['PUT /session', 'GET playlistItems']);
  });

  it('is waited for where it is not listed, and only then begun anew', async () => {
    const nothing = gone({ 'GET playlistItems': listed('Cake') });
    const first = await upload(nothing, WHOLE);
    expect(first.result).toMatchObject({ kind: 'pending' });
    const kept = first.keeps.at(-1)!;
    const soon = await upload(nothing, kept, { now: NOW + 9 * 60_000 });
    expect(soon.result).toMatchObject({ kind: 'pending' });
    const late = await upload(nothing, kept, { now: NOW + 10 * 60_000 });
    expect(late.result).toEqual({ id: 'v-1' });
    expect(late.calls()).toContain('POST videos');
  });

  it('is not begun anew because its list cannot be read', async () => {
    const late = { ...WHOLE, gone: NOW - 60 * 60_000 };
    for (const items of ['none', [{ snippet: {} }]]) {
      const { result, calls } = await upload(gone({ 'GET playlistItems': ok({ items }) }), late);
      expect([result, calls()]).toMatchObject([{ kind: 'unknown' }, ['PUT /session', 'GET playlistItems']]);
    }
  });

  it('is nobody knows which of several videos of its title', async () => {
    const { result } = await upload(gone({ 'GET playlistItems': listed('Bread', 'Bread') }), WHOLE);
    expect(result).toMatchObject({ kind: 'refused', reason: 'duplicate' });
  });
});

describe('a video', () => {
  const run = async (script: Script, step: string, content = post(), done: Done = { upload: { id: 'v-1' } }) => {
    const { acting, asked } = youtubeOf(script);
    const image = opened(Buffer.from('picture'), 'image/jpeg');
    const call: PublishCall = { ...acting, post: content, done, open: async () => image };
    return { result: await publish.run(call, step).catch((error: unknown) => error), asked };
  };
  const processing = (status: object) => ({ 'GET videos': ok({ items: [{ id: 'v-1', status }] }) });

  it.each([
    [{ uploadStatus: 'processed' }, {}],
    [{ uploadStatus: 'uploaded' }, { kind: 'pending' }],
    [
      { uploadStatus: 'failed', failureReason: 'codec' },
      { kind: 'refused', reason: 'invalid_request' },
    ],
    [
      { uploadStatus: 'rejected', rejectionReason: 'copyright' },
      { kind: 'refused', reason: 'blocked' },
    ],
    [{ uploadStatus: 'strange' }, { kind: 'unknown' }],
    [{}, { kind: 'unknown' }],
  ])('that is %o is waited for', async (status, expected) => {
    expect((await run(processing(status), 'processed')).result).toMatchObject(expected);
  });

  it('that is not listed is waited for ten minutes, as a new one may not be', async () => {
    const { acting, clock } = youtubeOf({ 'GET videos': ok({ items: [] }) }, { now: NOW });
    let kept: unknown;
    const call = () => ({ ...acting, post: post(), done: { upload: { id: 'v-1' } }, kept });
    const keep = async (value: unknown) => void (kept = value);
    const look = () => publish.run({ ...call(), keep }, 'processed').catch((error: unknown) => error);
    expect(await look()).toMatchObject({ kind: 'pending' });
    clock.now += 9 * 60_000;
    expect(await look()).toMatchObject({ kind: 'pending' });
    clock.now += 60_000;
    expect(await look()).toMatchObject({ kind: 'refused', reason: 'not_found' });
    expect((await run({ 'GET videos': ok({ items: 'none' }) }, 'processed')).result).toMatchObject({ kind: 'unknown' });
  });

  it('has a thumbnail, which does not fail it', async () => {
    const content = post({ options: { thumbnail: { source: 'https://files.test/t.jpg' } } });
    expect(publish.steps(content).map(({ name }) => name)).toEqual(['session', 'upload', 'processed', 'thumbnail']);
    const { result, asked } = await run({ 'POST thumbnails/set': ok({}) }, 'thumbnail', content);
    expect(result).toEqual({});
    expect(asked[0]!.query).toEqual({ uploadType: 'media', videoId: 'v-1' });
    expect(asked[0]!.request.headers).toMatchObject({ 'content-type': 'image/jpeg' });
    const refusedOne = await run({ 'POST thumbnails/set': refusal(403, 'forbidden') }, 'thumbnail', content);
    expect(refusedOne.result).toHaveProperty('refused');
  });

  it('has a first comment, which is looked for when its answer is lost', async () => {
    const content = post({ first_comment: 'First' });
    const { result, asked } = await run({ 'POST commentThreads': ok({ id: 'c-1' }) }, 'comment', content);
    expect(result).toEqual({ id: 'c-1' });
    expect(asked[0]!.body.snippet).toMatchObject({ videoId: 'v-1', channelId: 'UC1' });
    const done = { upload: { id: 'v-1' }, comment: result };
    expect(publish.finish(done, youtube.hosts.real)).toEqual({
      platform_post_id: 'v-1',
      permalink: 'https://www.youtube.com/watch?v=v-1',
      metadata: { first_comment_id: 'c-1' },
    });
  });

  it('is checked', () => {
    const fields = (content: OutgoingPost) => check!(content).map(({ field }) => field);
    expect(fields(post())).toEqual([]);
    expect(fields(post({ title: 'a < b', text: 'c > d' }))).toEqual(['title', 'text']);
    expect(fields(post({ options: { tags: [...Array(100)].map(() => 'abcde') } }))).toEqual([
      'platform_data.youtube.tags',
    ]);
    expect(fields(post({ visibility: 'private', first_comment: 'First' }))).toEqual(['first_comment']);
    expect(fields(post({ options: { made_for_kids: true }, first_comment: 'First' }))).toEqual(['first_comment']);
    expect(fields(post({ options: { license: 'none' } }))).toEqual(['platform_data.youtube.license']);
  });

  it('is deleted; one that is gone is gone', async () => {
    const { acting, asked } = youtubeOf({ 'DELETE videos': [answer(204, ''), refusal(404, 'videoNotFound')] });
    await remove!(acting, 'v-1', {});
    await remove!(acting, 'v-1', {});
    expect(asked[0]!.query).toEqual({ id: 'v-1' });
    expect(asked[0]!.request.cost).toEqual({ bucket: 'units', units: 50 });
  });
});

describe('errors', () => {
  it('of a day’s quota say when it comes back: at midnight in California', async () => {
    const { acting } = youtubeOf({ 'DELETE videos': refusal(403, 'quotaExceeded') });
    const error = await remove!(acting, 'v-1', {}).catch((thrown: unknown) => thrown);
    const midnight = Date.UTC(2026, 10, 22, 8);
    expect(error).toMatchObject({ kind: 'throttled', reason: 'rate_limit', retryAfter: (midnight - NOW) / 1000 });
  });

  it.each([
    [400, 'uploadLimitExceeded', 'refused', 'publish_limit'],
    [403, 'commentsDisabled', 'refused', 'permission_denied'],
    [403, 'channelSuspended', 'refused', 'blocked'],
    [403, 'userRateLimitExceeded', 'throttled', 'rate_limit'],
    [401, 'authError', 'refused', 'auth'],
    [400, 'invalidTitle', 'refused', 'invalid_request'],
    [500, 'backendError', 'unknown', 'api_error'],
  ])('%i %s', async (status, reason, kind, ours) => {
    const { acting } = youtubeOf({ 'DELETE videos': refusal(status, reason) });
    await expect(remove!(acting, 'v-1', {})).rejects.toMatchObject({ kind, reason: ours });
  });
});
