import { describe, expect, it } from 'vitest';
import { facebook } from '#platforms/facebook/index.ts';
import type { Done, OutgoingPost } from '#platforms/posts.ts';
import {
  goOn,
  graphOf,
  listed,
  PAGE,
  postOf,
  publishing,
  refusal,
  SESSION,
  TIME,
} from '../../harness/platforms/facebook-samples.ts';
import { answer, lost, NOW, ok, refused, type Script } from '../../harness/platforms/script.ts';
import type { PlatformRequest, StreamedBody } from '#platforms/call.ts';

const { publish, remove, irremovable } = facebook.posts!;
const hosts = facebook.hosts.real;
const photo = (ref = 'photo') => ({ ref, kind: 'image' as const });
const video = { ref: 'video', kind: 'video' as const };
/** The steps of a post on a Graph that answers as scripted, and what they ask. */
const stepsOf = (post: OutgoingPost) => (script: Script, clock?: { now: number }) => {
  const { acting, asked, calls } = graphOf(script, clock);
  return {
    asked,
    calls,
    run: (step: string, done: Done = {}) => publish.run(publishing(acting, post, done), step),
    settle: (step: string, done: Done = {}) => publish.settle!(publishing(acting, post, done), step),
    upload: (kept: unknown) => publish.run({ ...publishing(acting, post), kept }, 'upload'),
    publish: async (before: Done = {}) => {
      const done = await goOn(acting, post, before);
      return { done, published: publish.finish(done, hosts) };
    },
  };
};
const published = (permalink = 'https://www.facebook.com/p') => ok({ is_published: true, permalink_url: permalink });
const hidden = ok({ is_published: false });
const success = ok({ success: true });
const draft = { draft: { id: '101_1', page: PAGE } };
/** A draft that could not be switched on, and one that was. */
const rejected = { ...draft, publish: { direct: true, refused: 'x', at: NOW } };
const switched = { ...draft, publish: {}, again: null, direct: null };

describe('a text', () => {
  const post = postOf({ text: 'Grüße', options: { link: 'https://example.com/' } });
  const on = stepsOf(post);

  it('is drafted, and then switched on by its id', async () => {
    const { publish, asked, calls } = on({
      'POST /101/feed': ok({ id: '101_1' }),
      'POST /101_1': success,
      'GET /101_1': published('https://www.facebook.com/101/posts/1'),
    });
    expect((await publish()).published).toEqual({
      platform_post_id: '101_1',
      permalink: 'https://www.facebook.com/101/posts/1',
      metadata: { platform_page_id: '101', media_type: 'feed' },
    });
    expect(calls()).toEqual(['POST /101/feed', 'POST /101_1', 'GET /101_1']);
    expect(asked[0]!.form).toEqual({
      message: 'Grüße',
      link: 'https://example.com/',
      published: 'false',
      unpublished_content_type: 'DRAFT',
    });
    expect(asked[1]!.form).toEqual({ is_published: 'true' });
    expect(asked.every(({ bearer }) => bearer === 'PAGE-101')).toBe(true);
  });

  it('has no step that a repeat would do twice', () => {
    expect(publish.steps(post)).toEqual([
      { name: 'draft', kind: 'invisible' },
      { name: 'publish', kind: 'idempotent' },
      { name: 'again', kind: 'invisible' },
      { name: 'direct', kind: 'visible' },
    ]);
  });

  it('is published when the switch says so, though its answer was an error or none', async () => {
    for (const reply of [refusal(2, undefined, {}, 500), refusal(1), lost(), refusal(100)]) {
      const { run, calls } = on({ 'POST /101_1': reply, 'GET /101_1': published('https://x') });
      expect(await run('publish', draft)).toEqual({ permalink: 'https://x' });
      expect(calls().slice(0, 2)).toEqual(['POST /101_1', 'GET /101_1']);
    }
  });

  it('is tried again when nothing was heard and nothing is to be seen', async () => {
    const { run } = on({ 'POST /101_1': lost(), 'GET /101_1': [hidden, lost()] });
    for (let i = 0; i < 2; i++) await expect(run('publish', draft)).rejects.toMatchObject({ kind: 'unknown' });
  });

  it('needs no look-up to be called published', async () => {
    const { run } = on({ 'POST /101_1': success, 'GET /101_1': lost() });
    expect(await run('publish', draft)).toEqual({});
    expect(publish.finish(switched, hosts).permalink).toBe('https://www.facebook.com/101_1');
  });

  it.each([
    [refusal(4), 'throttled', 'rate_limit'],
    [refusal(190, 463), 'refused', 'auth'],
    [lost(false), 'not_sent', 'api_error'],
  ])('is left where it is by what says nothing about it', async (reply, outcome, reason) => {
    const { run, calls } = on({ 'POST /101_1': reply });
    await expect(run('publish', draft)).rejects.toMatchObject({ kind: outcome, reason });
    expect(calls()).toEqual(['POST /101_1']);
  });

  it('is never made again once its draft is gone, and says why', async () => {
    for (const script of [
      { 'POST /101_1': refusal(100, 33), 'GET /101_1': refusal(100, 33) },
      { 'POST /101_1': refusal(100, 33), 'GET /101_1': hidden },
      { 'POST /101_1': refusal(2), 'GET /101_1': refusal(100, 33) },
    ]) {
      const { run, calls } = on(script);
      await expect(run('publish', draft)).rejects.toMatchObject({
        kind: 'unknown',
        message: expect.stringContaining('draft'),
      });
      expect(calls()).toEqual(['POST /101_1', 'GET /101_1']);
    }
  });

  it('keeps its draft when the page is blocked', async () => {
    const { run, calls } = on({ 'POST /101_1': refusal(368), 'GET /101_1': hidden });
    await expect(run('publish', draft)).rejects.toMatchObject({ reason: 'blocked' });
    expect(calls()).toEqual(['POST /101_1', 'GET /101_1']);
  });

  it('is published directly where drafts cannot be switched on, after the draft is gone', async () => {
    const { publish, calls, asked } = on({
      'POST /101/feed': [ok({ id: '101_1' }), ok({ id: '101_2', permalink_url: 'https://x/2' })],
      'POST /101_1': refusal(100),
      'GET /101_1': hidden,
      'DELETE /101_1': success,
    });
    const why = { two_phase: false, two_phase_error: '(#100) 400: (#100) no' };
    expect((await publish()).published).toEqual({
      platform_post_id: '101_2',
      permalink: 'https://x/2',
      metadata: { platform_page_id: '101', media_type: 'feed', ...why },
    });
    expect(calls()).toEqual(['POST /101/feed', 'POST /101_1', 'GET /101_1', 'DELETE /101_1', 'POST /101/feed']);
    expect(asked.at(-1)!.form).toMatchObject({ message: 'Grüße', published: 'true' });
  });

  it('is not published directly while its draft may be there', async () => {
    const { run } = on({ 'DELETE /101_1': [lost(), refusal(200), refusal(100, 33)] });
    await expect(run('again', rejected)).rejects.toMatchObject({ kind: 'unknown' });
    await expect(run('again', rejected)).rejects.toMatchObject({ kind: 'refused' });
    expect(await run('again', rejected)).toEqual({ photos: [] });
    expect(() => publish.finish({ ...rejected, again: { photos: [] } }, hosts)).toThrow('direct');
  });

  it('is drafted anew, marked, where the draft of a lost answer is in its way', async () => {
    const { publish, asked } = on({
      'POST /101/feed': [refusal(506), ok({ id: '101_2' })],
      'GET /101/published_posts': listed([{ id: '101_0', message: 'Older', created_time: 'x' }]),
      'POST /101_2': success,
      'GET /101_2': published(),
    });
    expect((await publish()).published.platform_post_id).toBe('101_2');
    expect(asked[2]!.form).toMatchObject({ message: 'Grüße\u200B', published: 'false' });
    expect(asked[3]!.form).toEqual({ is_published: 'true', message: 'Grüße' });
  });

  it('is a duplicate when the page has just published the same', async () => {
    const { run } = on({
      'POST /101/feed': refusal(506),
      'GET /101/published_posts': listed([{ id: '101_0', message: ' Grüße', created_time: 'x' }]),
    });
    await expect(run('draft')).rejects.toMatchObject(refused('duplicate'));
  });

  it('settles a direct post by app and text, and never calls it absent', async () => {
    const done = { ...rejected, again: { photos: [] } };
    const ours = { message: 'Grüße', created_time: 'x', application: { id: '42' } };
    const item = { ...ours, id: '101_5', permalink_url: 'https://x' };
    const among = (...data: object[]) => on({ 'GET /101/published_posts': listed(data) });
    const { settle, asked } = among({ ...item, id: '101_4', application: { id: '43' } }, item);
    expect(await settle('direct', done)).toEqual({ made: { id: '101_5', permalink: 'https://x' } });
    expect(asked[0]!.query['since']).toBe(String(NOW / 1000 - 60));
    expect(await among(item, { ...item, id: '101_6' }).settle('direct', done)).toBe('unknown');
    expect(await among().settle('direct', done)).toBe('unknown');
    expect(await on({}).settle('direct', { ...draft, publish: {}, again: null })).toEqual({ made: null });
  });

  it('is refused without a page, or with nothing in it, before anything is sent', async () => {
    const cases: readonly (readonly [Partial<OutgoingPost>, string])[] = [
      [{ page_id: undefined }, 'invalid_request'],
      [{ text: ' ' }, 'invalid_request'],
      [{ segments: [post] }, 'invalid_request'],
      [{ ...post, page_id: '303' }, 'permission_denied'],
    ];
    for (const [bad, reason] of cases) {
      const { run, calls } = stepsOf(postOf({ text: 'x', ...bad }))({});
      await expect(run('draft')).rejects.toMatchObject(refused(reason));
      expect(calls()).toEqual([]);
    }
  });
});

describe('photos', () => {
  const on = stepsOf(postOf({ text: 'Two', media: [photo(), photo()], options: { alts: ['a cat', null] } }));
  const uploaded = (one: string, other: string) => [ok({ id: one }), ok({ id: other })];

  it('are uploaded one by one, and drafted together', async () => {
    const { publish, asked } = on({
      'POST /101/photos': uploaded('11', '12'),
      'POST /101/feed': ok({ id: '101_1' }),
      'POST /101_1': success,
      'GET /101_1': published(),
    });
    expect((await publish()).published.metadata).toMatchObject({ media_type: 'carousel' });
    expect(asked.slice(0, 3).map(({ form }) => form)).toEqual([
      { published: 'false', alt_text_custom: 'a cat', source: 'photo.png image/png 5' },
      { published: 'false', source: 'photo.png image/png 5' },
      {
        message: 'Two',
        attached_media: '[{"media_fbid":"11"},{"media_fbid":"12"}]',
        published: 'false',
        unpublished_content_type: 'DRAFT',
      },
    ]);
  });

  it('that have been lying around too long are uploaded once more', async () => {
    const { run, calls, asked } = on({ 'POST /101/photos': ok({ id: '13' }), 'POST /101/feed': ok({ id: '101_1' }) });
    await run('draft', { 'photo.0': { id: '11', at: NOW - 21 * 3_600_000 }, 'photo.1': { id: '12', at: NOW } });
    expect(calls()).toEqual(['POST /101/photos', 'POST /101/feed']);
    expect(asked[1]!.form['attached_media']).toBe('[{"media_fbid":"13"},{"media_fbid":"12"}]');
  });

  it('are uploaded once more for a direct post, and it is settled by them', async () => {
    const withPhotos = (id: string, photos: readonly string[]) => {
      const subattachments = { data: photos.map((photo) => ({ target: { id: photo } })) };
      const attachments = { data: [{ target: { id: '9' }, subattachments }] };
      return { id, message: 'Two', created_time: 'x', application: { id: SESSION.app_id }, attachments };
    };
    const { run, settle, asked } = on({
      'DELETE /101_1': success,
      'POST /101/photos': uploaded('21', '22'),
      'POST /101/feed': ok({ id: '101_2' }),
      'GET /101/published_posts': listed([withPhotos('101_0', ['21', '8']), withPhotos('101_1', ['22', '21'])]),
    });
    const done = { ...rejected, again: await run('again', rejected) };
    await run('direct', done);
    expect(asked.at(-1)!.form['attached_media']).toBe('[{"media_fbid":"21"},{"media_fbid":"22"}]');
    expect(await settle('direct', done)).toEqual({ made: { id: '101_1' } });
    expect(await on({}).run('again', { ...draft, publish: {} })).toBeNull();
  });

  it('that the draft of a lost answer has taken are uploaded once more', async () => {
    const { run, asked } = on({
      'POST /101/feed': [refusal(100, 1_366_051), ok({ id: '101_2' })],
      'POST /101/photos': uploaded('31', '32'),
    });
    const done = { 'photo.0': { id: '11', at: NOW }, 'photo.1': { id: '12', at: NOW } };
    expect(await run('draft', done)).toEqual({ id: '101_2', page: PAGE });
    expect(asked.at(-1)!.form['attached_media']).toBe('[{"media_fbid":"31"},{"media_fbid":"32"}]');
  });

  it('of a kind that Facebook does not accept are refused', async () => {
    const uploading = stepsOf(postOf({ media: [photo('video')] }))({}).run('photo.0');
    const message = expect.stringContaining('video/mp4');
    await expect(uploading).rejects.toMatchObject({ reason: 'invalid_request', message });
  });
});

describe('a video', () => {
  const post = postOf({ text: 'Look', title: 'Title', media: [video] });
  const VIDEOS = 'POST graph-video /101/videos';
  const on = stepsOf(post);
  const wanting = <T>(start_offset: T, end_offset: T) => ok({ start_offset, end_offset });
  const started = ok({ video_id: '31', upload_session_id: '77', start_offset: '0', end_offset: '6' });
  const startedAnew = ok({ video_id: '32', upload_session_id: '78', start_offset: 0, end_offset: 10 });
  const upload = { upload: { video: '31', page: PAGE } };

  it('is uploaded in the pieces Facebook asks for, awaited, and switched on', async () => {
    const {
      publish: publishAll,
      asked,
      calls,
    } = on({
      [VIDEOS]: [started, wanting('6', '10'), wanting('10', '10'), success],
      'GET /31': [
        ok({ status: { video_status: 'ready' }, published: false }),
        ok({ published: true, post_id: '5', permalink_url: '/reel/31/' }),
      ],
      'POST /31': success,
    });
    expect((await publishAll()).published).toEqual({
      platform_post_id: '101_5',
      permalink: 'https://www.facebook.com/reel/31/',
      metadata: { platform_page_id: '101', video_id: '31', media_type: 'feed' },
    });
    expect(asked.slice(0, 4).map(({ form }) => form)).toEqual([
      { upload_phase: 'start', file_size: '10' },
      { upload_phase: 'transfer', upload_session_id: '77', start_offset: '0', video_file_chunk: 'video video/mp4 6' },
      { upload_phase: 'transfer', upload_session_id: '77', start_offset: '6', video_file_chunk: 'video video/mp4 4' },
      { upload_phase: 'finish', upload_session_id: '77', description: 'Look', title: 'Title', published: 'false' },
    ]);
    expect(calls().slice(4)).toEqual(['GET /31', 'POST /31', 'GET /31']);
    expect(publish.steps(post).at(-1)).toEqual({ name: 'shown', kind: 'idempotent', optional: 'address' });
    expect(asked[5]!.form).toEqual({ published: 'true' });
  });

  describe('whose upload stopped half-way', () => {
    const kept = { video: '31', session: '77', page: PAGE, size: 10, at: 4, to: 6 };
    const status = (bytes_transferred: number) =>
      ok({ status: { uploading_phase: { status: 'in_progress', bytes_transferred } } });

    it.each([
      ['more than was kept', status(6), '6', '4'],
      ['what was kept', status(4), '4', '6'],
      ['nothing of it', ok({}), '4', '6'],
      ['no such video', refusal(100, 33), '4', '6'],
    ])('goes on where Facebook says, which shows %s', async (_, shown, from, length) => {
      const { upload, asked } = on({ 'GET /31': shown, [VIDEOS]: [wanting('10', '10'), success] });
      expect(await upload(kept)).toEqual({ video: '31', page: PAGE });
      expect(
        asked.slice(1).map(({ form }) => [form['upload_phase'], form['start_offset'], form['video_file_chunk']]),
      ).toEqual([
        ['transfer', from, `video video/mp4 ${length}`],
        ['finish', undefined, undefined],
      ]);
    });

    it.each([
      ['has been dropped', kept, [refusal(100)]],
      ['was of another file', { ...kept, size: 11 }, []],
    ])('begins anew when it %s', async (_, from, refusals) => {
      const replies = [...refusals, startedAnew, wanting(10, 10), success];
      const { upload, calls } = on({ 'GET /31': status(4), [VIDEOS]: replies });
      expect(await upload(from)).toEqual({ video: '32', page: PAGE });
      expect(calls().filter((call) => call === VIDEOS)).toHaveLength(replies.length);
    });

    it.each(['processing', 'ready', 'uploading'])('is finished once, though the answer was lost: %s', async (state) => {
      const shown = ok({ status: { video_status: state, uploading_phase: { bytes_transferred: 10 } } });
      const finished = on({ 'GET /31': shown, [VIDEOS]: refusal(100) }).upload({ ...kept, at: 10, to: 10 });
      if (state === 'uploading') await expect(finished).rejects.toMatchObject({ kind: 'refused' });
      else expect(await finished).toEqual({ video: '31', page: PAGE });
    });
  });

  it('does not go round in circles with an upload that makes no way', async () => {
    const { run, calls } = on({ [VIDEOS]: [started, wanting('0', '6')] });
    await expect(run('upload')).rejects.toMatchObject({ kind: 'unknown' });
    expect(calls()).toHaveLength(2);
  });

  it.each([
    [{ video_status: 'processing' }, 'pending'],
    [undefined, 'pending'],
    [{ video_status: 'error' }, 'refused'],
    [{ video_status: 'expired' }, 'refused'],
    [{ video_status: 'processing', processing_phase: { status: 'error' } }, 'refused'],
  ])('with status %j is %s', async (status, outcome) => {
    const { run } = on({ 'GET /31': ok({ id: '31', status }) });
    await expect(run('ready', upload)).rejects.toMatchObject({ kind: outcome });
  });

  it('is published directly by an id of its own', async () => {
    const { publish, settle, asked } = on({
      [VIDEOS]: [startedAnew, wanting(10, 10), success],
      'POST /31': refusal(100),
      'DELETE /31': success,
      'GET /31': ok({ published: false }),
      'GET /32': [ok({ post_id: '6' }), ok({ published: true }), ok({ published: false })],
    });
    const { done, published } = await publish({ ...upload, ready: null });
    const last = asked.findLast(({ call }) => call === VIDEOS)!;
    expect(last.form).toMatchObject({ upload_session_id: '78', published: 'true' });
    expect(published).toMatchObject({
      platform_post_id: '101_6',
      permalink: 'https://www.facebook.com/reel/32',
      metadata: { video_id: '32', two_phase: false },
    });
    expect(await settle('direct', done)).toEqual({ made: { video: '32', page: PAGE } });
    expect(await settle('direct', done)).toBe('unknown');
  });

  it('needs nothing direct when the switch worked', async () => {
    const { run, settle } = on({});
    const done = { ...upload, ready: null, publish: {} };
    expect(await run('again', done)).toBeNull();
    expect(await run('direct', { ...done, again: null })).toBeNull();
    expect(await settle('direct', { ...done, again: null })).toEqual({ made: null });
  });

  it('waits for its post, and stands without', async () => {
    const { run } = on({ 'GET /31': ok({ published: true }) });
    const done = { ...upload, ready: null, publish: {}, again: null, direct: null };
    await expect(run('shown', done)).rejects.toMatchObject({ kind: 'pending' });
    expect(publish.finish({ ...done, shown: { refused: 'x' } }, hosts)).toMatchObject({ platform_post_id: '31' });
  });
});

/** What a streamed body says. */
const textOf = async (body: PlatformRequest['body']) =>
  Buffer.concat(await (body as StreamedBody).open().toArray()).toString();

describe.each([
  ['reel', 'video_reels', ['start', 'bytes', 'finish', 'live', 'shown']],
  ['stories', 'video_stories', ['start', 'bytes', 'there', 'finish', 'live']],
])('a video as %s', (media_type, edge, names) => {
  const on = stepsOf(postOf({ text: 'Look', media: [video], options: { media_type } }));
  const EDGE = `POST /101/${edge}`;
  const BYTES = 'POST rupload /video-upload/31';
  const status = (publishing: string, uploading = 'complete') =>
    ok({ status: { uploading_phase: { status: uploading }, publishing_phase: { status: publishing } } });
  const start = { start: { video: '31', page: PAGE } };
  const sent = { ...start, bytes: { at: NOW } };

  it('is started, sent, finished and awaited', async () => {
    const { publish, asked } = on({
      [EDGE]: [ok({ video_id: '31', upload_url: 'https://evil.example/' }), ok({ success: true, post_id: '5' })],
      [BYTES]: success,
      'GET /31': [
        refusal(100, 33),
        ...(media_type === 'stories' ? [status('not_started')] : []),
        status('not_started'),
        status('complete'),
      ],
    });
    const { done, published: facts } = await publish();
    expect(Object.keys(done)).toEqual(names);
    const bytes = asked.find(({ call }) => call.includes('rupload'))!.request;
    expect(bytes.url).toBe('https://rupload.facebook.com/video-upload/v25.0/31');
    expect(bytes.headers).toMatchObject({ authorization: 'OAuth PAGE-101', offset: '0', file_size: '10' });
    expect(await textOf(bytes.body)).toBe('0123456789');
    const finish = asked.filter(({ call }) => call === EDGE)[1]!.form;
    expect(finish).toEqual(
      media_type === 'reel'
        ? { upload_phase: 'finish', video_id: '31', video_state: 'PUBLISHED', description: 'Look' }
        : { upload_phase: 'finish', video_id: '31' },
    );
    expect(facts).toMatchObject({ platform_post_id: '101_5', metadata: { video_id: '31', media_type } });
    expect(facts.permalink).toBe(media_type === 'reel' ? 'https://www.facebook.com/reel/31' : undefined);
  });

  it('goes on where an upload stopped, and sends nothing twice', async () => {
    const half = { status: { uploading_phase: { status: 'in_progress', bytes_transferred: 4 } } };
    const { run, asked, calls } = on({ 'GET /31': [ok(half), status('not_started')], [BYTES]: success });
    await run('bytes', start);
    expect(asked[1]!.request.headers!['offset']).toBe('4');
    expect(await textOf(asked[1]!.request.body)).toBe('456789');
    await run('bytes', start);
    expect(calls()).toEqual(['GET /31', BYTES, 'GET /31']);
  });

  it('is refused with a file that the upload host refuses for good', async () => {
    const info = (retriable: boolean) => answer(400, { debug_info: { retriable, type: 'x', message: 'y' } });
    const { run } = on({ 'GET /31': refusal(100, 33), [BYTES]: [info(true), info(false)] });
    await expect(run('bytes', start)).rejects.toMatchObject({ kind: 'unknown' });
    await expect(run('bytes', start)).rejects.toMatchObject({ reason: 'invalid_request' });
  });

  it.each(['complete', 'in_progress'])('is not finished again when publishing is %s', async (phase) => {
    const { run, calls } = on({ 'GET /31': status(phase) });
    await run('finish', sent);
    expect(calls()).toEqual(['GET /31']);
  });

  it('is finished again when nothing was heard and nothing has begun', async () => {
    const { run } = on({ 'GET /31': status('not_started'), [EDGE]: [refusal(2), success] });
    await expect(run('finish', sent)).rejects.toMatchObject({ kind: 'unknown' });
    expect(await run('finish', sent)).toEqual({});
  });

  it('is not failed by the refusal of a second finish', async () => {
    const seen = on({ 'GET /31': [status('not_started'), status('complete')], [EDGE]: refusal(100) });
    expect(await seen.run('finish', sent)).toEqual({});
    const clock = { now: NOW };
    const unseen = on({ 'GET /31': status('not_started'), [EDGE]: refusal(100) }, clock);
    await expect(unseen.run('finish', sent)).rejects.toMatchObject({ kind: 'unknown' });
    clock.now += 90_001;
    await expect(unseen.run('finish', sent)).rejects.toMatchObject({ reason: 'invalid_request' });
  });

  it('is refused at once when the page is blocked', async () => {
    const { run } = on({ 'GET /31': status('not_started'), [EDGE]: refusal(368) });
    await expect(run('finish', sent)).rejects.toMatchObject({ reason: 'blocked' });
  });

  it('is not called published before people can see it', async () => {
    const done = { ...sent, finish: {} };
    const failed = ok({ status: { video_status: 'error' } });
    const { run } = on({ 'GET /31': [status('in_progress'), failed, status('complete')] });
    await expect(run('live', done)).rejects.toMatchObject({ kind: 'pending' });
    await expect(run('live', done)).rejects.toMatchObject({ kind: 'refused' });
    expect(await run('live', done)).toEqual({});
  });
});

describe('the post of a reel', () => {
  const post = postOf({ media: [video], options: { media_type: 'reel' }, first_comment: 'First!' });
  const on = stepsOf(post);
  const live = { start: { video: '31', page: PAGE }, bytes: { at: NOW }, finish: {}, live: { permalink: '/reel/31/' } };

  it('is waited for where nothing has named it, and commented by both ids', async () => {
    const { run, publish, calls } = on({
      'GET /31': [ok({ published: true }), ok({ published: true, post_id: '5' })],
      'POST /101_5/comments': ok({ id: '5_1' }),
    });
    await expect(run('shown', live)).rejects.toMatchObject({ kind: 'pending' });
    const { published } = await publish(live);
    expect(calls()).toEqual(['GET /31', 'GET /31', 'POST /101_5/comments']);
    expect(published).toEqual({
      platform_post_id: '101_5',
      permalink: 'https://www.facebook.com/reel/31/',
      metadata: { platform_page_id: '101', video_id: '31', media_type: 'reel', first_comment_id: '5_1' },
    });
  });

  it('is not asked for where it is known, and the reel stands without', async () => {
    expect(publish.steps(post).slice(-2)).toEqual([
      { name: 'shown', kind: 'idempotent', optional: 'address' },
      { name: 'comment', kind: 'visible', optional: 'first_comment' },
    ]);
    const named = { ...live, live: { post_id: '5' } };
    expect(await on({}).run('shown', named)).toEqual({ post_id: '5' });
    expect(publish.finish({ ...live, shown: { refused: 'x' } }, hosts)).toMatchObject({
      platform_post_id: '31',
      permalink: 'https://www.facebook.com/reel/31/',
      metadata: { video_id: '31' },
    });
  });
});

describe('a photo story', () => {
  const post = postOf({ text: 'ignored', media: [photo()], options: { media_type: 'stories' } });

  it('is made of an unpublished photo, and settled by it', async () => {
    const stories = [
      { post_id: '98', media_id: '10' },
      { post_id: '99', media_id: '11' },
    ];
    const {
      publish: publishAll,
      settle,
      asked,
    } = stepsOf(post)({
      'POST /101/photos': ok({ id: '11' }),
      'POST /101/photo_stories': ok({ success: true, post_id: '99' }),
      'GET /101/stories': [listed(stories), listed([])],
    });
    expect(publish.steps(post)).toMatchObject([{ kind: 'invisible' }, { name: 'story', kind: 'visible' }]);
    const { done, published } = await publishAll();
    expect(asked[1]!.form).toEqual({ photo_id: '11' });
    expect(published).toEqual({
      platform_post_id: '101_99',
      metadata: { platform_page_id: '101', media_type: 'stories' },
    });
    expect(await settle('story', done)).toEqual({ made: { post_id: '99', page: PAGE } });
    expect(await settle('story', done)).toBe('unknown');
  });

  it('cannot be deleted, and says so', async () => {
    expect(irremovable!({ platform_page_id: '101', media_type: 'stories' })).toContain('story');
    expect(irremovable!({ platform_page_id: '101', media_type: 'reel' })).toBeUndefined();
  });
});

describe('the first comment', () => {
  const post = postOf({ text: 'x', first_comment: 'First!' });
  const on = stepsOf(post);
  const time = { created_time: TIME };
  const own = { id: '1_2', message: 'First!', from: { id: '101' }, permalink_url: 'https://x/c', ...time };
  const among = (data: readonly object[], after?: string) =>
    on({ 'GET /101_1/comments': listed(data, after) }).settle('comment', switched);

  it('is a step of its own that cannot fail the post', async () => {
    expect(publish.steps(post).at(-1)).toEqual({ name: 'comment', kind: 'visible', optional: 'first_comment' });
    const { run, asked } = on({ 'POST /101_1/comments': ok({ id: '1_2', permalink_url: 'https://x/c' }) });
    const made = await run('comment', switched);
    expect(asked[0]!.form).toEqual({ message: 'First!', fields: 'id,permalink_url' });
    const metadataOf = (comment: unknown) => publish.finish({ ...switched, comment }, hosts).metadata;
    expect(metadataOf(made)).toMatchObject({ first_comment_id: '1_2' });
    expect(metadataOf({ refused: 'no' })).toMatchObject({ first_comment_error: 'no' });
  });

  it('is found again by page and text, and never called absent: the list may be late', async () => {
    const made = { made: { id: '1_2', permalink: 'https://x/c' } };
    expect(await among([{ ...own, from: { id: '7' }, id: '1_1' }, own])).toEqual(made);
    const others = [
      { ...own, message: 'Second!' },
      { ...own, from: undefined },
    ];
    expect(await among(others)).toBe('unknown');
    expect(await among([])).toBe('unknown');
    expect(await among([own, { ...own, id: '1_3' }])).toBe('unknown');
    expect(await among(others, 'A')).toBe('unknown');
  });

  it('is not there on a story', () => {
    const story = postOf({ media: [photo()], first_comment: 'x', options: { media_type: 'stories' } });
    expect(publish.steps(story).map(({ name }) => name)).toEqual(['photo.0', 'story']);
  });
});

describe('removing', () => {
  it('deletes a post, and a video by the id of the video; what is gone is gone', async () => {
    const { acting, calls } = graphOf({
      'DELETE /101_1': [success, refusal(100, 33)],
      'DELETE /31': success,
      'DELETE /202_1': success,
    });
    await remove!(acting, '101_1', { platform_page_id: '101' });
    await remove!(acting, '101_1', {});
    await remove!(acting, '101_5', { platform_page_id: '101', video_id: '31' });
    await remove!(acting, '202_1', {});
    expect(calls()).toEqual(['DELETE /101_1', 'DELETE /101_1', 'DELETE /31', 'DELETE /202_1']);
  });

  it('addresses what a publish that failed has left', () => {
    const left = (done: Done) => publish.finish(done, hosts);
    expect(left(draft)).toMatchObject({ platform_post_id: '101_1', metadata: { platform_page_id: '101' } });
    const started = { start: { video: '31', page: PAGE } };
    expect(left(started)).toMatchObject({ platform_post_id: '31', metadata: { video_id: '31' } });
    expect(() => publish.finish({}, hosts)).toThrow();
  });
});
