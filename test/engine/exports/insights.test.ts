import { MINUTE } from '#kernel/clock.ts';
import { createServer, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { mp4, png } from '../../harness/media-samples.ts';
import { serveTest } from '../../harness/sockets.ts';
import type { Json } from '../../harness/world.ts';
import { exportWorld, postsOf, rowsOf } from './world.ts';

const KEY = 'sk-of-the-operator';
const LISTENING = '/v1/audio/transcriptions';
const LOOKING = '/v1/chat/completions';

/** A simulator for an OpenAI-compatible API, and for the host of media. */
async function openProvider() {
  const asked: { path: string; authorization: string | undefined; body: string }[] = [];
  const answers: { transcript: Json; vision: Json; failures: number; status: number; down?: string } = {
    transcript: { text: 'Welcome to the bakery.', language: 'english' },
    vision: { summary: 'A loaf of rye.', category: 'Food', elements: ['bread', 'table'] },
    failures: 0,
    status: 503,
  };
  const content = (path: string): Json => {
    if (path === LISTENING) return answers.transcript;
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
  return { origin: await serveTest(server), asked, answers };
}

async function insightWorld(plan: 'enterprise' | 'free' = 'enterprise', count = 2) {
  const provider = await openProvider();
  const { origin } = provider;
  const film = { type: 'video', url: `${origin}/film.mp4` };
  const media = [film, { type: 'image', url: `${origin}/picture.png` }];
  const posts = [...postsOf(count).map((post) => ({ ...post, media })), ...postsOf(count + 1).slice(count)];
  const models = { AI_TRANSCRIPT_MODEL: 'listener', AI_VISION_MODEL: 'looker' };
  const env = { AI_URL: `${origin}/v1`, AI_KEY: KEY, ...models };
  return { ...provider, ...(await exportWorld({ posts }, { plan, env })) };
}

const LEFT_OUT = 'Some posts were left out: The provider answers with status 503.';
const UNDESCRIBED = 'Some posts have no description: their files are too large or cannot be fetched.';
const ALL = { include_transcript: true, include_vision: true };

describe('transcripts and descriptions', () => {
  it('come from the provider of the operator', async () => {
    const { world, finished, asked } = await insightWorld();
    const done = await finished(ALL);
    expect(done).toMatchObject({ status: 'completed', total_videos: 3, processed_videos: 3 });
    const { videos } = (await world.rest(`GET /v1/exports/${done.id}/videos`)).body;
    const heard = { transcript: 'Welcome to the bakery.', transcript_lang: 'english' };
    const seen = { vision_summary: 'A loaf of rye.', vision_category: 'Food', vision_elements: ['bread', 'table'] };
    expect(videos[0]).toMatchObject({ ...heard, ...seen });
    expect(videos[2]).toMatchObject({ transcript: null, vision_summary: null });
    // The last post has a picture that cannot be fetched.
    expect(done.warnings).toEqual([UNDESCRIBED]);
    expect(asked.map(({ path }) => path)).toEqual([LISTENING, LOOKING, LISTENING, LOOKING]);
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
    expect(await look(id)).toMatchObject({ status: 'processing', processed_videos: 0 });
    await world.pass(MINUTE);
    expect(await look(id)).toMatchObject({ status: 'completed', warnings: [] });

    answers.failures = 100;
    const other = await begin({ include_transcript: true });
    for (let n = 0; n < 8; n += 1) await world.pass(10 * MINUTE);
    expect(await look(other)).toMatchObject({ status: 'completed', warnings: [LEFT_OUT] });

    answers.failures = 100;
    answers.status = 400;
    expect((await finished(ALL)).warnings).toContain(
      'Some posts have no transcript: The provider answers with status 400.',
    );
    answers.failures = 0;
    answers.vision = 'not what was asked for';
    expect((await finished({ include_vision: true })).warnings).toContain(
      'Some posts have no description: The provider answered something other than what was requested.',
    );
  });

  it('are asked for once each: a transcript stays while descriptions fail', async () => {
    const { world, asked, answers, begin, look } = await insightWorld('enterprise', 1);
    answers.down = LOOKING;
    const id = await begin(ALL);
    for (let n = 0; n < 4; n += 1) await world.pass(10 * MINUTE);
    expect(asked.filter(({ path }) => path === LISTENING)).toHaveLength(1);
    const warnings = [LEFT_OUT, UNDESCRIBED];
    expect(await look(id)).toMatchObject({ status: 'completed', processed_videos: 2, warnings });
    const [video] = (await world.rest(`GET /v1/exports/${id}/videos`)).body.videos;
    expect(video).toMatchObject({ transcript: 'Welcome to the bakery.', vision_summary: null });
  });

  it('are as many as the plan has', async () => {
    const { finished, asked } = await insightWorld('free', 12);
    const done = await finished(ALL);
    expect(asked.map(({ path }) => path)).toEqual(Array(10).fill(LISTENING));
    expect(done.warnings).toEqual([
      'Descriptions of pictures are not part of the Free plan, so there are none.',
      'The plan includes 10 transcripts per export.',
    ]);
  });
});
