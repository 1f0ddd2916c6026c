import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { CRASH_POINTS, type CrashPointName } from '../../src/call/crash-points.ts';
import { AFTER_LEASES_MS, openCrashWorld, type CrashWorld, type Server } from './crash-world.ts';

let world: CrashWorld;
beforeAll(async () => {
  world = await openCrashWorld();
});
afterAll(() => world.close());

const KINDS = ['text', 'image', 'thread'] as const;
type Kind = (typeof KINDS)[number];

/** The steps and the requests of each kind: a picture is uploaded first, a thread has a second post. */
const STEPS: Readonly<Record<Kind, number>> = { text: 2, image: 3, thread: 3 };
const REQUESTS: Readonly<Record<Kind, number>> = { text: 1, image: 2, thread: 2 };

/** How often a publish of each kind passes each point. */
const PASSES: Readonly<Record<CrashPointName, (kind: Kind) => number>> = {
  'publish.claimed': () => 1,
  'publish.step.sent': (kind) => STEPS[kind],
  'publish.request.answered': (kind) => REQUESTS[kind],
  'publish.step.answered': (kind) => STEPS[kind],
  'publish.step.committed': (kind) => STEPS[kind],
  'publish.concluded': () => 1,
  // A delivery does not know what kind of post it tells about.
  'delivery.claimed': (kind) => (kind === 'text' ? 1 : 0),
  'delivery.sent': (kind) => (kind === 'text' ? 1 : 0),
  'delivery.committed': (kind) => (kind === 'text' ? 1 : 0),
};

const DEATHS = KINDS.flatMap((kind) =>
  CRASH_POINTS.flatMap((point) =>
    Array.from({ length: PASSES[point](kind) }, (_, index) => [kind, point, index + 1] as const),
  ),
);

let posts = 0;

/** A post whose text nobody used before, and the texts it shows. */
function postOf(kind: Kind) {
  posts += 1;
  const text = `Crash ${posts} of ${kind}`;
  const second = `${text}, continued`;
  return {
    texts: kind === 'thread' ? [text, second] : [text],
    input: {
      text,
      account_ids: [world.account],
      publish_now: true,
      ...(kind === 'image' && { media_ids: [world.mediaId] }),
      ...(kind === 'thread' && { segments: [{ text: second }] }),
    },
  };
}

async function start(...args: Parameters<CrashWorld['serve']>): Promise<Server> {
  const server = await world.serve(...args);
  onTestFinished(() => world.kill(server));
  return server;
}

/** After the restart: one post, one event, one log entry, one credit. */
async function expectOnce(server: Server, texts: readonly string[], publishes = 1): Promise<void> {
  const post = await world.until(async () => {
    const { body } = await server.rest('GET', '/v1/posts');
    const [found] = body.data as { id: string; status: string }[];
    return found?.status === 'publishing' ? undefined : (found ?? { id: '', status: 'none' });
  });
  expect(post).toMatchObject({ status: 'published' });
  for (const text of texts) {
    expect(await world.seen(text)).toMatchObject([{ exists: true, versions: [{ action: 'create' }] }]);
  }
  const { body: logs } = await server.rest('GET', `/v1/posts/logs?post_id=${post.id}`);
  expect(logs.data).toMatchObject([{ action: 'publish', status: 'success' }]);
  expect((await server.rest('GET', '/v1/usage')).body.posts_used).toBe(publishes);

  const of = () => world.receiver.received.filter(({ body }) => body.data['post_id'] === post.id);
  await world.until(async () => of()[0]);
  const [{ id: hook }] = (await server.rest('GET', '/v1/webhooks')).body.data;
  await world.until(async () => {
    const { body } = await server.rest('GET', `/v1/webhooks/${hook}/deliveries`);
    return (body.data as { status: string }[]).every(({ status }) => status === 'delivered') || undefined;
  });
  expect(new Set(of().map(({ headers }) => headers['x-service-delivery'])).size).toBe(1);
  expect(new Set(of().map(({ body }) => body.event))).toEqual(new Set(['post.published']));
}

describe('a server that dies', () => {
  it.each(DEATHS)('with a %s at %s, the %dth time, has published once after its restart', async (kind, point, nth) => {
    const data = world.data();
    const dying = await start(data, { CRASH_AT: `${point}:${nth}` });
    const { input, texts } = postOf(kind);
    const asked = dying.rest('POST', '/v1/posts', input).catch(() => undefined);
    expect(await dying.ended).toBe('SIGKILL');
    await asked;
    await expectOnce(await start(data, {}, AFTER_LEASES_MS), texts);
  });

  it.each(Array.from({ length: 10 }, (_, n) => n))('at a moment of its own choosing (%d), too', async () => {
    const data = world.data();
    const dying = await start(data);
    const kind = KINDS[Math.floor(Math.random() * KINDS.length)]!;
    const { input, texts } = postOf(kind);
    const asked = dying.rest('POST', '/v1/posts', input).catch(() => undefined);
    await pause(Math.random() * 80);
    await world.kill(dying);
    await asked;
    const server = await start(data, {}, AFTER_LEASES_MS);
    const { body } = await server.rest('GET', '/v1/posts');
    // Killed before the request was taken in: then the client was told nothing, and nothing is public.
    if (body.data.length > 0) await expectOnce(server, texts);
    else for (const text of texts) expect(await world.seen(text)).toEqual([]);
  });

  it('before its post is due publishes it at its time', async () => {
    const data = world.data();
    const dying = await start(data);
    const { input, texts } = postOf('text');
    const { publish_now: _, ...draft } = input;
    const scheduled_at = new Date(Date.now() + AFTER_LEASES_MS / 2).toISOString();
    expect((await dying.rest('POST', '/v1/posts', { ...draft, scheduled_at })).status).toBe(201);
    await world.kill(dying);
    const server = await start(data, {}, AFTER_LEASES_MS);
    await world.until(async () => {
      const { body } = await server.rest('GET', '/v1/posts?status=published');
      return body.data[0];
    });
    await expectOnce(server, texts);
  });
});

describe('a server that is told to stop', () => {
  it('while it publishes lets it end, answers, and exits with 0', async () => {
    const data = world.data();
    const server = await start(data);
    await world.control('faults', {
      person: world.person,
      kind: 'slow',
      method: 'com.atproto.repo.putRecord',
      delay_ms: 1000,
    });
    const { input, texts } = postOf('text');
    const asked = server.rest('POST', '/v1/posts', input);
    await world.until(async () => (await world.seen(texts[0]!))[0]);
    server.child.kill('SIGTERM');
    expect(await asked).toMatchObject({ status: 201, body: { status: 'published' } });
    expect(await server.ended).toBe(0);
    await expectOnce(await start(data), texts);
  });
});
