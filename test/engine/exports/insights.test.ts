import { createServer, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ListedPost } from '../../../src/platforms/posts.ts';
import { mp4, png } from '../../harness/media-samples.ts';
import { listen, stop } from '../../harness/sockets.ts';
import type { Json } from '../../harness/world.ts';
import { exportWorld, postsOf, rowsOf } from './world.ts';

const KEY = 'sk-of-the-operator';
const MINUTE = 60_000;

/** A stand-in for an OpenAI-compatible API, and for the host of media. */
async function openProvider() {
  const asked: { path: string; authorization: string | undefined; body: string }[] = [];
  const answers: { transcript: Json; vision: Json; failures: number; status: number; down?: string } = {
    transcript: { text: 'Welcome to the bakery.', language: 'english' },
    vision: { summary: 'A loaf of rye.', category: 'Food', elements: ['bread', 'table'] },
    failures: 0,
    status: 503,
  };
  const content = (path: string): Json => {
    if (path === '/v1/audio/transcriptions') return answers.transcript;
    return { choices: [{ message: { content: `\`\`\`json\n${JSON.stringify(answers.vision)}\n\`\`\`` } }] };
  };
  const read = async (req: IncomingMessage) => (await buffer(req)).toString('latin1');
  const server = createServer((req, res) => {
    void (async () => {
      const path = req.url ?? '';
      if (path === '/film.mp4') return res.setHeader('content-type', 'video/mp4').end(mp4());
      if (path === '/picture.png') return res.setHeader('content-type', 'image/png').end(png());
      if (!path.startsWith('/v1/')) return res.writeHead(404).end();
      asked.push({ path, authorization: req.headers.authorization, body: await read(req) });
      if (answers.failures > 0 || path === answers.down) {
        answers.failures -= 1;
        return res.writeHead(answers.status).end('{}');
      }
      return res.setHeader('content-type', 'application/json').end(JSON.stringify(content(path)));
    })();
  });
  const origin = `http://127.0.0.1:${await listen(server)}`;
  onTestFinished(() => stop(server));
  return { origin, asked, answers };
}

async function insightWorld(plan: 'enterprise' | 'free' = 'enterprise', count = 2) {
  const provider = await openProvider();
  const posts: readonly ListedPost[] = postsOf(count).map((post) => ({
    ...post,
    media: [
      { type: 'video', url: `${provider.origin}/film.mp4` },
      { type: 'image', url: `${provider.origin}/picture.png` },
    ],
  }));
  const env = {
    AI_URL: `${provider.origin}/v1`,
    AI_KEY: KEY,
    AI_TRANSCRIPT_MODEL: 'listener',
    AI_VISION_MODEL: 'looker',
  };
  return {
    ...provider,
    ...(await exportWorld({ posts: [...posts, ...postsOf(count + 1).slice(count)] }, { plan, env })),
  };
}

const ALL = { include_transcript: true, include_vision: true };

describe('transcripts and descriptions', () => {
  it('come from the provider of the operator', async () => {
    const { world, finished, asked } = await insightWorld();
    const done = await finished(ALL);
    expect(done).toMatchObject({ status: 'completed', total_videos: 3, processed_videos: 3 });
    const { videos } = (await world.rest(`GET /v1/exports/${done.id}/videos`)).body;
    expect(videos[0]).toMatchObject({
      transcript: 'Welcome to the bakery.',
      transcript_lang: 'english',
      vision_summary: 'A loaf of rye.',
      vision_category: 'Food',
      vision_elements: ['bread', 'table'],
    });
    expect(videos[2]).toMatchObject({ transcript: null, vision_summary: null });
    // The last post has a picture that cannot be fetched.
    expect(done.warnings).toEqual(['Some posts have no description: their files are too large or cannot be fetched.']);
    expect(asked.map(({ path }) => path)).toEqual([
      '/v1/audio/transcriptions',
      '/v1/chat/completions',
      '/v1/audio/transcriptions',
      '/v1/chat/completions',
    ]);
    expect(asked.every(({ authorization }) => authorization === `Bearer ${KEY}`)).toBe(true);
    expect(asked[0]!.body).toMatch(/name="model"\r\n\r\nlistener\r\n/);
    expect(JSON.parse(asked[1]!.body)).toMatchObject({ model: 'looker', response_format: { type: 'json_object' } });
    const [headers, first] = await rowsOf(done);
    expect(headers!.slice(-5)).toEqual(['Transcript', 'Language', 'In the picture', 'Category', 'Elements']);
    expect(first!.slice(-2)).toEqual(['Food', 'bread, table']);
    expect(world.log.join('\n')).not.toContain(KEY);
  });

  it('are asked for again when the provider is down, and left out when it stays down', async () => {
    const { world, finished, answers, begin, look } = await insightWorld();
    answers.failures = 1;
    const id = await begin({ include_transcript: true });
    await world.settle();
    expect(await look(id)).toMatchObject({
      status: 'processing',
      processed_videos: 0,
    });
    await world.pass(MINUTE);
    expect(await look(id)).toMatchObject({ status: 'completed', warnings: [] });

    answers.failures = 100;
    const other = await begin({ include_transcript: true });
    for (let n = 0; n < 8; n += 1) await world.pass(10 * MINUTE);
    expect(await look(other)).toMatchObject({
      status: 'completed',
      warnings: ['Some posts were left out: The provider answers with status 503.'],
    });

    answers.failures = 100;
    answers.status = 400;
    expect((await finished(ALL)).warnings).toContain(
      'Some posts have no transcript: The provider answers with status 400.',
    );
    answers.failures = 0;
    answers.vision = 'not what was asked for';
    expect((await finished({ include_vision: true })).warnings).toContain(
      'Some posts have no description: The provider answers something else than it was asked for.',
    );
  });

  it('are asked for once each: a transcript stays while descriptions fail', async () => {
    const { world, asked, answers, begin, look } = await insightWorld('enterprise', 1);
    answers.down = '/v1/chat/completions';
    const id = await begin(ALL);
    for (let n = 0; n < 4; n += 1) await world.pass(10 * MINUTE);
    expect(asked.filter(({ path }) => path === '/v1/audio/transcriptions')).toHaveLength(1);
    expect(await look(id)).toMatchObject({
      status: 'completed',
      processed_videos: 2,
      warnings: [
        'Some posts were left out: The provider answers with status 503.',
        'Some posts have no description: their files are too large or cannot be fetched.',
      ],
    });
    expect((await world.rest(`GET /v1/exports/${id}/videos`)).body.videos[0]).toMatchObject({
      transcript: 'Welcome to the bakery.',
      vision_summary: null,
    });
  });

  it('are as many as the plan has', async () => {
    const { finished, asked } = await insightWorld('free', 12);
    const done = await finished(ALL);
    expect(asked.map(({ path }) => path)).toEqual(Array.from({ length: 10 }, () => '/v1/audio/transcriptions'));
    expect(done.warnings).toEqual([
      'Descriptions of pictures are not part of the Free plan, so there are none.',
      'The plan takes 10 transcripts of an export.',
    ]);
  });
});
