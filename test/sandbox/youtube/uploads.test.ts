import { DAY } from '#kernel/clock.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { mp4, pdf, png } from '../../harness/media-samples.ts';
import { exchange } from '../../harness/sockets.ts';
import { NORA, OLIVIA, openYoutubeWorld, SAM, UNIT, type YoutubeWorld } from '../../harness/worlds/twins/youtube.ts';

const video = mp4({});
/** A film of two parts and a bit. */
const film = Buffer.concat([video, Buffer.alloc(2 * UNIT + 1000 - video.length, 1)]);

let world: YoutubeWorld;
beforeAll(async () => {
  world = await openYoutubeWorld();
});
beforeEach(() => world.sandbox.reset());
afterAll(() => world.close());

const partOf = (from: number, to = film.length) =>
  [`bytes ${from}-${to - 1}/${film.length}`, film.subarray(from, to)] as const;
async function session(token?: string): Promise<string> {
  const { status, headers, text } = await world.begin(token ?? (await world.login()), undefined, film.length);
  expect([status, text]).toEqual([200, '']);
  return headers.get('location')!;
}
const rangeOf = ({ status, headers }: Awaited<ReturnType<YoutubeWorld['part']>>) => [status, headers.get('range')];
const videos = async () => (await world.list('videos')).length;

describe('a resumable upload', () => {
  it('takes parts in order, says how far it is, and makes the video with the last byte', async () => {
    const at = await session();
    expect(rangeOf(await world.part(at, `bytes */${film.length}`))).toEqual([308, null]);
    expect(rangeOf(await world.part(at, ...partOf(0, UNIT)))).toEqual([308, `bytes=0-${UNIT - 1}`]);
    expect(rangeOf(await world.part(at, 'bytes */*'))).toEqual([308, `bytes=0-${UNIT - 1}`]);
    expect(await videos()).toBe(0);
    const done = await world.part(at, ...partOf(UNIT));
    expect(done).toMatchObject({
      status: 200,
      json: {
        kind: 'youtube#video',
        id: expect.stringMatching(/^[\w-]{11}$/),
        snippet: { title: 'A video' },
        status: { uploadStatus: 'uploaded', privacyStatus: 'public' },
      },
    });
    expect((await world.part(at, `bytes */${film.length}`)).json.id).toBe(done.json.id);
    expect((await world.part(at, ...partOf(UNIT))).json.id).toBe(done.json.id);
    expect(await videos()).toBe(1);
    const [{ blob }] = await world.list('videos');
    const stored = await fetch(`${world.at}/cdn/${blob}`);
    expect(Buffer.from(await stored.arrayBuffer()).equals(film)).toBe(true);
  });

  it('refuses what does not fit', async () => {
    const at = await session();
    const refused = async (range: string, bytes: Uint8Array) => (await world.part(at, range, bytes)).status;
    expect(await refused(...partOf(0, 1000))).toBe(400);
    expect(await refused(...partOf(UNIT, 2 * UNIT))).toBe(400);
    expect(await refused(`bytes 0-${UNIT - 1}/99`, film.subarray(0, UNIT))).toBe(400);
    expect(await refused('bytes zero', film.subarray(0, UNIT))).toBe(400);
    expect(await refused(`bytes 0-${UNIT}/${film.length}`, film.subarray(0, UNIT))).toBe(400);
    expect(await videos()).toBe(0);
    expect((await world.part(`${at}x`, 'bytes */*')).status).toBe(404);
  });

  it('overwrites what is sent again, and takes a whole file without ranges', async () => {
    const at = await session();
    await world.part(at, `bytes 0-${UNIT - 1}/${film.length}`, Buffer.alloc(UNIT, 9));
    expect((await world.part(at, ...partOf(0))).status).toBe(200);
    const [{ blob }] = await world.list('videos');
    expect(Buffer.from(await (await fetch(`${world.at}/cdn/${blob}`)).arrayBuffer()).equals(film)).toBe(true);
    const whole = await world.ask(await session(), { method: 'PUT', body: new Uint8Array(film) });
    expect([whole.status, await videos()]).toEqual([200, 2]);
  });

  it('goes wrong in every way it is told to, and still makes one video', async () => {
    const half = await session();
    await world.act('settings', { upload_half: '1' });
    expect(rangeOf(await world.part(half, ...partOf(0, 2 * UNIT)))).toEqual([308, `bytes=0-${UNIT - 1}`]);
    expect((await world.part(half, ...partOf(UNIT))).status).toBe(200);

    const forgets = await session();
    await world.act('settings', { upload_forgets: '1' });
    expect(rangeOf(await world.part(forgets, ...partOf(0, UNIT)))).toEqual([308, null]);
    expect(rangeOf(await world.part(forgets, 'bytes */*'))).toEqual([308, null]);

    const trouble = await session();
    await world.act('settings', { upload_503: '2' });
    expect((await world.part(trouble, ...partOf(0, UNIT))).status).toBe(503);
    expect(rangeOf(await world.part(trouble, 'bytes */*'))).toEqual([308, `bytes=0-${UNIT - 1}`]);
    expect((await world.part(trouble, ...partOf(UNIT))).status).toBe(503);
    expect(rangeOf(await world.part(trouble, 'bytes */*'))).toEqual([308, `bytes=0-${UNIT - 1}`]);
    expect((await world.part(trouble, ...partOf(UNIT))).status).toBe(200);
    expect(await videos()).toBe(2);

    const before = await session();
    await world.act('settings', { upload_gone_before_end: '1' });
    expect((await world.part(before, ...partOf(0))).status).toBe(404);
    expect((await world.part(before, 'bytes */*')).status).toBe(404);
    expect(await videos()).toBe(2);

    const after = await session();
    await world.act('settings', { upload_gone_after_end: '1' });
    expect((await world.part(after, ...partOf(0))).status).toBe(404);
    expect((await world.part(after, 'bytes */*')).status).toBe(404);
    expect(await videos()).toBe(3);
  });

  it('keeps what came before the line broke, in whole units', async () => {
    const at = new URL(await session());
    const sent = UNIT + 5000;
    await new Promise<void>((resolve) => {
      const socket = connect(Number(at.port), at.hostname, () => {
        socket.write(
          `PUT ${at.pathname}${at.search} HTTP/1.1\r\nhost: ${at.host}\r\ncontent-length: ${film.length}\r\n` +
            `content-range: bytes 0-${film.length - 1}/${film.length}\r\n\r\n`,
        );
        socket.end(film.subarray(0, sent));
      });
      socket.on('close', () => resolve());
      socket.resume();
    });
    await expect
      .poll(async () => rangeOf(await world.part(at.href, 'bytes */*')))
      .toEqual([308, `bytes=0-${UNIT - 1}`]);
    expect((await world.part(at.href, ...partOf(UNIT))).status).toBe(200);
  });

  it('goes on after a restart of the sandbox, and ends after a week', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rostra-youtube-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'sandbox.db');
    const first = await openYoutubeWorld({ file });
    const { headers } = await first.begin(await first.login(), undefined, film.length);
    const { search } = new URL(headers.get('location')!);
    await first.part(headers.get('location')!, ...partOf(0, UNIT));
    await first.close();
    const second = await openYoutubeWorld({ file });
    onTestFinished(second.close);
    const at = `${second.at}/googleapis/upload/youtube/v3/videos${search}`;
    expect(rangeOf(await second.part(at, 'bytes */*'))).toEqual([308, `bytes=0-${UNIT - 1}`]);
    second.clock.move(7 * DAY - 1);
    expect((await second.part(at, ...partOf(UNIT, 2 * UNIT))).status).toBe(308);
    second.clock.move(1);
    expect((await second.part(at, 'bytes */*')).status).toBe(404);
  });

  it('begins with what the video will be', async () => {
    const token = await world.login();
    const refused = async (snippet: object, status: object = {}) => {
      const { status: code, json } = await world.begin(token, { snippet: { title: 'x', ...snippet }, status });
      return [code, json.error.errors[0].reason];
    };
    expect(await refused({ title: '' })).toEqual([400, 'invalidTitle']);
    expect(await refused({ title: 'a'.repeat(101) })).toEqual([400, 'invalidTitle']);
    expect(await refused({ title: 'a<b' })).toEqual([400, 'invalidTitle']);
    expect(await refused({ description: 'é'.repeat(2501) })).toEqual([400, 'invalidDescription']);
    expect(await refused({ tags: ['a'.repeat(501)] })).toEqual([400, 'invalidTags']);
    expect(await refused({ categoryId: '99' })).toEqual([400, 'invalidCategoryId']);
    expect(await refused({}, { publishAt: '2099-01-01T00:00:00Z' })).toEqual([400, 'invalidPublishAt']);
    expect(await refused({}, { privacyStatus: 'secret' })).toEqual([400, 'invalidVideoMetadata']);
    const readonly = await world.login(OLIVIA, { scopes: 'https://www.googleapis.com/auth/youtube.readonly' });
    expect((await world.begin(readonly)).json.error.errors[0].reason).toBe('insufficientPermissions');
    expect((await world.begin(await world.login(NORA))).json.error.errors[0].reason).toBe('youtubeSignupRequired');
    expect((await world.begin('nonsense')).status).toBe(401);
  });

  it('spends a bucket of its own, and a channel has its limit', async () => {
    const token = await world.login();
    await world.act('settings', { inserts_a_day: '2' });
    await world.begin(token);
    await world.begin(token);
    const spent = await world.begin(token);
    expect([spent.status, spent.json.error.errors[0]]).toEqual([
      429,
      { domain: 'global', reason: 'rateLimitExceeded', message: expect.stringContaining('Video Uploads per day') },
    ]);
    // Midnight in California: the clock begins at noon UTC.
    world.clock.move(20 * 3_600_000 - 1);
    const later = await world.login();
    expect((await world.begin(later)).status).toBe(429);
    world.clock.move(1);
    expect((await world.begin(later)).status).toBe(200);
    await world.act('settings', { uploads_a_day: '0' });
    expect((await world.begin(later)).json.error.errors[0].reason).toBe('uploadLimitExceeded');
  });
});

describe('a video', () => {
  it('is worked on by the clock, and ends as the twin is told', async () => {
    const token = await world.login();
    const state = async (id: string) => {
      const { json } = await world.get('/youtube/v3/videos', token, { part: 'status,processingDetails', id });
      const { status, processingDetails } = json.items[0];
      return [status.uploadStatus, processingDetails.processingStatus, status.failureReason ?? status.rejectionReason];
    };
    const { id } = await world.upload(token, video);
    expect(await state(id)).toEqual(['uploaded', 'processing', undefined]);
    world.clock.move(5000);
    expect(await state(id)).toEqual(['processed', 'succeeded', undefined]);
    const { id: other } = await world.upload(token, video);
    await world.act('process', { video: other, ending: 'rejected:duplicate' });
    expect(await state(other)).toEqual(['rejected', 'terminated', 'duplicate']);
    await world.act('settings', { processing_ends: 'failed:codec' });
    const { id: third } = await world.upload(token, video);
    const { id: none } = await world.upload(token, pdf);
    world.clock.move(5000);
    expect(await state(third)).toEqual(['failed', 'failed', 'codec']);
    expect(await state(none)).toEqual(['failed', 'failed', 'invalidFile']);
  });

  it('is public when it is due', async () => {
    const token = await world.login();
    const privacy = async (id: string) =>
      (await world.get('/youtube/v3/videos', token, { part: 'status', id })).json.items[0].status.privacyStatus;
    const publishAt = new Date(world.clock.now() + 60_000).toISOString();
    const { id } = await world.upload(token, video, {}, { privacyStatus: 'private', publishAt });
    const page = `${world.at}/www/watch?v=${id}`;
    expect([await privacy(id), (await world.ask(page)).status]).toEqual(['private', 404]);
    world.clock.move(60_000);
    expect([await privacy(id), (await world.ask(page)).status]).toEqual(['public', 200]);
  });

  it('is changed, has a thumbnail, and is deleted', async () => {
    const token = await world.login();
    const { id } = await world.upload(token, video, { tags: ['a b', 'c'], description: 'Old' });
    const change = (body: object, part = 'snippet') =>
      world.put('/youtube/v3/videos', token, { id, ...body }, { part });
    expect((await change({ snippet: { title: 'New' } })).json.snippet).toMatchObject({ title: 'New', description: '' });
    expect((await change({ snippet: { description: 'x' } })).json.error.errors[0].reason).toBe('invalidTitle');
    expect((await change({ status: { privacyStatus: 'unlisted' } }, 'status')).json.status.privacyStatus).toBe(
      'unlisted',
    );
    const other = await world.login(SAM);
    expect(
      (await world.put('/youtube/v3/videos', other, { id, snippet: { title: 'x' } }, { part: 'snippet' })).status,
    ).toBe(403);
    expect((await world.del('/youtube/v3/videos', other, { id })).status).toBe(403);

    const thumbnails = `${world.at}/googleapis/upload/youtube/v3/thumbnails/set?videoId=${id}`;
    const thumb = (bytes: Uint8Array, access = token) =>
      world.ask(thumbnails, {
        method: 'POST',
        headers: { authorization: `Bearer ${access}`, 'content-type': 'image/png' },
        body: new Uint8Array(bytes),
      });
    const thumbOf = async () => (await world.list('videos')).find((one: { id: string }) => one.id === id)?.thumb;
    expect([(await thumb(png())).status, await thumbOf()]).toEqual([200, undefined]);
    world.clock.move(5000);
    const set = await thumb(png());
    expect(await thumbOf()).toBeDefined();
    expect((await fetch(set.json.items[0].high.url)).headers.get('content-type')).toBe('image/png');
    expect((await thumb(pdf)).json.error.errors[0].reason).toBe('imageFormatUnsupported');
    const headers = { authorization: `Bearer ${token}`, 'content-length': 50 * 1024 * 1024 + 1 };
    const { pathname, search, port } = new URL(thumbnails);
    expect((await exchange({ port, path: pathname + search, method: 'POST', headers })).status).toBe(413);
    expect((await thumb(png(), other)).status).toBe(403);
    await world.act('settings', { verified: 'false' });
    expect((await thumb(png())).status).toBe(403);

    expect(await world.del('/youtube/v3/videos', token, { id })).toMatchObject({ status: 204, text: '' });
    expect((await world.del('/youtube/v3/videos', token, { id })).status).toBe(404);
    expect((await world.get('/youtube/v3/videos', token, { part: 'id', id })).json.items).toEqual([]);
    expect(world.sandbox.posts('youtube', OLIVIA)).toMatchObject([
      { exists: false, text: 'New', versions: [{ action: 'create' }, {}, {}, { action: 'delete' }] },
    ]);
  });
});
