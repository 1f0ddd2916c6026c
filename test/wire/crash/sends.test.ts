import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CrashPointName } from '#call/crash-points.ts';
import {
  connectBluesky,
  openProcesses,
  until,
  type Answer,
  type Json,
  type Processes,
  type Seat,
} from '../../harness/processes.ts';
import { answersTo, openFacebook, publishBread, QUESTION, type Kind } from '../../harness/repeated.ts';

/**
 * How far the clock goes while a server waits, how often, and how far for one request. Equal messages are one for two
 * minutes by that clock, which goes on by itself, too: a slow machine has what this leaves for the start and the answer.
 */
const HURRY = { everyMs: 100, ms: 1000, mostMs: 5_000 };
/** After this, what a platform does not show was not sent. */
const UNTIL_ABSENT_MS = 91_000;
/** How long a client that got a 502 waits before it asks again. */
const AGAIN_MS = 30_000;

type Point = Extract<CrashPointName, `send.${string}`>;
const EFFECT: readonly Point[] = ['send.begun', 'send.sent', 'send.answered', 'send.committed'];
const ALL: readonly Point[] = ['send.begun', 'send.prepared', 'send.sent', 'send.answered', 'send.committed'];

type Stage = Readonly<{
  kinds: Readonly<Record<'message' | 'reply', Kind>>;
  /** Somebody writes to the account once more. */
  write(text: string): Promise<unknown>;
}>;

const EVENTS = ['dm.received', 'dm.sent', 'dm.status.sent', 'comment.received'];

async function openBluesky(world: Processes, seat: Seat): Promise<Stage> {
  const { control } = world;
  const [alice, bob] = ((await control('people')) as Json[]).filter(({ network }) => network === 'bluesky');
  const { id, on } = await publishBread(seat, await connectBluesky(world, seat, alice.id));
  const act = (action: string, input: object) => control('act', { network: 'bluesky', action, ...input });
  await act('reply', { person: bob.id, post: on, text: QUESTION });
  const write = (text: string) => act('message', { person: bob.id, whom: alice.id, text });
  await write('Are you open?');
  const listed = async (path: string, name: string) =>
    ((await control(path)) as Json[]).filter(({ text }) => text === name);
  const kinds = await answersTo(seat, id, {
    message: async (name) => (await listed('bluesky/messages', name)).length,
    reply: async (name) => (await listed('posts', name)).reduce((sum, { versions }) => sum + versions.length, 0),
  });
  return { write, kinds };
}

const PLATFORMS = {
  facebook: { open: openFacebook, points: { message: ALL, reply: EFFECT } },
  bluesky: { open: openBluesky, points: { message: ALL, reply: ALL } },
} as const;

/** What a message and a reply to a comment are called. */
const NAMES = { message: 'message', reply: 'comment' } as const;

/** Lets the clock go on while a server waits by it. */
async function hurried<T>(seat: Seat, work: Promise<T>): Promise<T> {
  let left = HURRY.mostMs / HURRY.ms;
  const timer = setInterval(() => {
    if (left > 0) seat.pass(HURRY.ms);
    left -= 1;
  }, HURRY.everyMs);
  return work.finally(() => clearInterval(timer));
}

describe.concurrent.each(['facebook', 'bluesky'] as const)('a server that dies while it answers on %s', (name) => {
  const { open, points } = PLATFORMS[name];
  let world: Processes;
  let seat: Seat;
  let stage: Stage;
  let port = '0';
  const said: Readonly<{ text: string; kind: keyof typeof NAMES; wishes: number }>[] = [];

  beforeAll(async () => {
    world = await openProcesses({ oneClock: true });
    seat = world.seat('server');
    await seat.start();
    // Whoever pushes knows one address, which stays.
    port = new URL(seat.root()).port;
    const hook = await seat.rest('POST', '/v1/webhooks', { url: world.receiver.url, events: EVENTS });
    expect(hook.status).toBe(201);
    stage = await open(world, seat);
  });
  afterAll(() => world?.close());

  const heard = (event: string, is: (data: Json) => boolean) =>
    world.receiver.received.filter(({ body }) => body.event === event && is(body.data));
  const deliveries = (told: readonly { headers: Record<string, unknown> }[]) =>
    new Set(told.map(({ headers }) => headers['x-service-delivery'])).size;

  /** Asks as clients do: what failed on the way, or with a 5xx, is asked again. */
  async function repeat(ask: () => Promise<Answer>): Promise<Readonly<{ body: Json; failures: number }>> {
    for (let failures = 0; ; failures += 1) {
      const answer = await hurried(seat, ask());
      if (answer.status === 200) return { body: answer.body, failures };
      expect(answer).toMatchObject({ status: 502, body: { error: { code: `platform.${name}.api_error` } } });
      seat.pass(AGAIN_MS);
    }
  }

  const cases = (['message', 'reply'] as const).flatMap((kind) =>
    points[kind].map((point) => [NAMES[kind], point, kind] as const),
  );
  it.each(cases)(
    'with a %s at %s has sent it once, when the client has asked again',
    { concurrent: false },
    async (what, point, kind) => {
      const { ask, count } = stage.kinds[kind];
      const text = `A ${what} at ${point} on ${name}`;
      const { path, body: asks } = ask(text);
      const send = () => seat.rest('POST', path, asks);
      seat.dieAt(point, 1);
      const asked = send().catch(() => undefined);
      expect(await seat.ended()).toBe('SIGKILL');
      expect(await asked).toBeUndefined();
      expect(await count(text)).toBe(point === 'send.answered' || point === 'send.committed' ? 1 : 0);
      // The leases of the dead server end with it; only what was perhaps sent takes its time.
      if (point === 'send.sent') seat.pass(UNTIL_ABSENT_MS);
      await seat.start({ PORT: port });
      const { body, failures } = await repeat(send);
      expect(await count(text)).toBe(1);
      // Nobody can tell that facebook was never asked: then the wish is a new one after a while.
      said.push({ text, kind, wishes: failures > 0 ? 2 : 1 });
      expect([point, failures > 0]).toEqual([point, name === 'facebook' && point === 'send.sent']);
      if (kind !== 'message') return;
      await until(async () => heard('dm.status.sent', ({ mids }) => mids[0] === body.message_id)[0]);
      expect(heard('dm.sent', ({ content }) => content.text === text)).not.toEqual([]);
    },
  );

  it('has reported it to everybody once, and taken one credit for each request', { concurrent: false }, async () => {
    const { write, kinds } = stage;
    await write('Thanks');
    // Everything that was pushed or can be polled before this has been taken in when it is heard.
    if (name === 'facebook') await world.control('facebook/flush', {});
    await until(async () => {
      seat.pass(HURRY.ms);
      return heard('dm.received', ({ content }) => content.text === 'Thanks')[0];
    }, HURRY.everyMs);
    for (const { text, kind } of said) {
      expect([text, await kinds[kind].count(text)]).toEqual([text, 1]);
      const told = heard('dm.sent', ({ content }) => content.text === text);
      expect([text, deliveries(told)]).toEqual([text, kind === 'message' ? 1 : 0]);
      const [id] = told.map(({ body }) => body.data['platform_id']);
      const statuses = heard('dm.status.sent', ({ mids }) => mids.includes(id));
      expect([text, deliveries(statuses)]).toEqual([text, kind === 'message' ? 1 : 0]);
    }
    expect(heard('comment.received', ({ content }) => said.some(({ text }) => text === content.text))).toEqual([]);
    const { body } = await seat.rest('GET', '/v1/usage');
    expect(body.interactions_used).toBe(said.reduce((sum, { wishes }) => sum + wishes, 0));
  });
});
