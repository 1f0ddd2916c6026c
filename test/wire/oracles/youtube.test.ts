/**
 * The simulator of YouTube, driven by Google's own clients: the Data API by one, the protocol of uploads by the
 * other.
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { IdempotencyStrategy, Storage } from '@google-cloud/storage';
import { auth, youtube, type youtube_v3 } from '@googleapis/youtube';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '#kernel/clock.ts';
import { mp4 } from '../../harness/media-samples.ts';
import type { Json } from '../../harness/world.ts';
import { FRED, openYoutubeWorld, UNIT, type YoutubeWorld } from '../../harness/worlds/twins/youtube.ts';

let world: YoutubeWorld;
let token: string;
let client: youtube_v3.Youtube;
let channel: string;

beforeAll(async () => {
  world = await openYoutubeWorld({ clock: systemClock });
  token = await world.login();
  const oauth = new auth.OAuth2();
  oauth.setCredentials({ access_token: token });
  client = youtube({ version: 'v3', auth: oauth });
  const { data } = await client.channels.list({ part: ['id'], mine: true }, at());
  channel = data.items![0]!.id!;
});
beforeEach(() => world.sandbox.reset());
afterAll(() => world?.close());

/** Where the client finds the API; a path is kept only where each call says it. */
const at = () => ({ rootUrl: `${world.at}/googleapis/` });

/** The address of a new session. */
const begin = async () => (await world.begin(token, { snippet: { title: 'A film' } })).headers.get('location')!;

/** A film of some parts and a bit. */
const sample = mp4({});
const film = Buffer.concat([sample, Buffer.alloc(3 * UNIT + 777 - sample.length, 7)]);

/** The client that uploads to Google's storage, given the address of a session. */
function write(uri: string, options: object = {}): Promise<void> {
  const retryOptions = { idempotencyStrategy: IdempotencyStrategy.RetryAlways };
  const storage = new Storage({ apiEndpoint: world.root, projectId: 'sandbox', retryOptions });
  const target = storage
    .bucket('any')
    .file('film.mp4')
    .createWriteStream({ uri, resumable: true, validation: false, ...options });
  const chunks = Array.from({ length: Math.ceil(film.length / 60_000) }, (_, at) =>
    film.subarray(at * 60_000, (at + 1) * 60_000),
  );
  return pipeline(Readable.from(chunks), target);
}
async function onlyVideo(): Promise<Json> {
  const [video, ...more] = await world.list('videos');
  expect(more).toEqual([]);
  const stored = await fetch(`${world.at}/cdn/${video.blob}`);
  expect(Buffer.from(await stored.arrayBuffer()).equals(film)).toBe(true);
  return video;
}
const reasonOf = async (call: Promise<unknown>) => {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown as { status?: number; errors?: { reason: string }[]; response?: { data: Json } },
  );
  return [error?.status, error?.response?.data.error.errors[0].reason];
};

describe('the protocol of uploads', () => {
  it('is spoken to Google’s client in one request', async () => {
    await write(await begin());
    expect((await onlyVideo()).about.title).toBe('A film');
  });

  it('is spoken in parts, of which some are half accepted', async () => {
    await world.act('settings', { upload_half: '2' });
    await write(await begin(), { chunkSize: 2 * UNIT });
    await onlyVideo();
    const puts = world.sandbox.requests().filter(({ method }) => method.startsWith('PUT /upload'));
    expect(puts.filter(({ status }) => status === 308).length).toBeGreaterThanOrEqual(3);
  });

  it('is gone on with after a 503 in the middle', async () => {
    await world.act('settings', { upload_503: '1' });
    await write(await begin(), { chunkSize: UNIT });
    await onlyVideo();
  });

  it('ends with the session', async () => {
    await world.act('settings', { upload_gone_before_end: '1' });
    await expect(write(await begin(), { chunkSize: 2 * UNIT })).rejects.toMatchObject({ code: 404 });
    expect(await world.list('videos')).toEqual([]);
  });
});

describe('the Data API', () => {
  /** A public video of which everything is known. */
  async function made(): Promise<string> {
    await write(await begin());
    const { id } = await onlyVideo();
    await world.act('process', { video: id, ending: 'processed' });
    return id as string;
  }

  it('answers channels, videos and the playlist of uploads', async () => {
    const id = await made();
    const part = ['snippet', 'contentDetails', 'statistics'];
    const [own] = (await client.channels.list({ part, mine: true }, at())).data.items!;
    expect(own).toMatchObject({ id: channel, snippet: { title: 'Harbour Coffee' }, statistics: { videoCount: '1' } });
    const playlistId = own!.contentDetails!.relatedPlaylists!.uploads!;
    const query = { part: ['contentDetails', 'snippet'], playlistId, maxResults: 50 };
    const items = await client.playlistItems.list(query, at());
    expect(items.data.items).toMatchObject([{ contentDetails: { videoId: id } }]);
    await world.act('watch', { video: id, views: '5' });
    const videos = await client.videos.list({ part: ['status', 'processingDetails', 'statistics'], id: [id] }, at());
    expect(videos.data.items).toMatchObject([
      {
        status: { uploadStatus: 'processed' },
        processingDetails: { processingStatus: 'succeeded' },
        statistics: { viewCount: '5' },
      },
    ]);
  });

  it('changes and deletes videos', async () => {
    const id = await made();
    const snippet = { title: 'Changed', categoryId: '22' };
    await client.videos.update({ part: ['snippet'], requestBody: { id, snippet } }, at());
    const { data } = await client.videos.list({ part: ['snippet'], id: [id] }, at());
    expect(data.items![0]!.snippet!.title).toBe('Changed');
    const untitled = client.videos.update({ part: ['snippet'], requestBody: { id, snippet: {} } }, at());
    expect(await reasonOf(untitled)).toEqual([400, 'invalidTitle']);
    expect((await client.videos.delete({ id }, at())).status).toBe(204);
    expect(await reasonOf(client.videos.delete({ id }, at()))).toEqual([404, 'videoNotFound']);
  });

  it('lists, answers and moderates comments', async () => {
    const videoId = await made();
    const top = { snippet: { textOriginal: 'From the channel' } };
    const requestBody = { snippet: { channelId: channel, videoId, topLevelComment: top } };
    const mine = await client.commentThreads.insert({ part: ['snippet'], requestBody }, at());
    expect(mine.data.snippet!.topLevelComment!.snippet!.authorChannelId).toEqual({ value: channel });
    const id = await world.act('comment', { person: FRED, video: videoId, text: 'Hello' });
    const reply = { snippet: { parentId: id, textOriginal: 'Hello Fred' } };
    await client.comments.insert({ part: ['snippet'], requestBody: reply }, at());
    const threads = await client.commentThreads.list({ part: ['snippet', 'replies'], videoId, order: 'time' }, at());
    expect(threads.data.items).toMatchObject([
      { id, snippet: { totalReplyCount: 1 }, replies: { comments: [{ snippet: { textOriginal: 'Hello Fred' } }] } },
      { id: mine.data.id },
    ]);
    expect((await client.comments.list({ part: ['snippet'], parentId: id }, at())).data.items).toHaveLength(1);
    await client.comments.setModerationStatus({ id: [id], moderationStatus: 'heldForReview' }, at());
    const query = { allThreadsRelatedToChannelId: channel, moderationStatus: 'heldForReview' };
    const held = await client.commentThreads.list({ part: ['snippet'], ...query }, at());
    expect(held.data.items).toMatchObject([{ id }]);
    expect(await reasonOf(client.comments.delete({ id }, at()))).toEqual([403, 'forbidden']);
    expect((await client.comments.delete({ id: mine.data.id! }, at())).status).toBe(204);
  });

  it('says why it refuses', async () => {
    await world.act('spend_quota', { used: '10000' });
    expect(await reasonOf(client.channels.list({ part: ['id'], mine: true }, at()))).toEqual([403, 'quotaExceeded']);
  });
});
