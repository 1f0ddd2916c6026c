import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CrashPointName } from '../../../src/call/crash-points.ts';
import {
  connectBluesky,
  connectFacebook,
  openProcesses,
  until,
  type Answer,
  type Json,
  type Seat,
} from '../../harness/processes.ts';
import { AFTER_LEASES_MS } from './world.ts';

/** How far the clock goes while a server waits, and how often. */
const HURRY = { everyMs: 100, ms: 1000 };
/** How long a client that got a 502 waits before it asks again. */
const AGAIN_MS = 30_000;

type Point = Extract<CrashPointName, `send.${string}`>;
const EFFECT: readonly Point[] = ['send.begun', 'send.sent', 'send.answered', 'send.committed'];
const ALL: readonly Point[] = ['send.begun', 'send.prepared', 'send.sent', 'send.answered', 'send.committed'];

/** Something people see, as it is asked for, and how often it is there. */
type Kind = Readonly<{
  path: string;
  ask(text: string): object;
  seen(text: string): Promise<number>;
  /** A message: its sending is told. */
  isMessage: boolean;
}>;
type Kinds = Readonly<Record<'message' | 'comment', Kind>>;
type World = Awaited<ReturnType<typeof openProcesses>>;
type Stage = Readonly<{
  seat: Seat;
  kinds: Kinds;
  /** Somebody writes to the account once more. */
  write(text: string): Promise<unknown>;
}>;

const EVENTS = ['dm.received', 'dm.sent', 'dm.status.sent', 'comment.received'];

const newest = async (seat: Seat, path: string, is: (row: Json) => boolean): Promise<Json> =>
  until(async () => {
    seat.pass(HURRY.ms);
    return ((await seat.rest('GET', path)).body.data as Json[]).find(is);
  }, HURRY.everyMs);

async function publish(seat: Seat, account: string) {
  const input = { text: 'Fresh bread', account_ids: [account], publish_now: true };
  const { body } = await seat.rest('POST', '/v1/posts', input);
  return { id: body.id as string, there: body.results[0].platform_post_id as string };
}

async function facebook({ control }: World, seat: Seat, connected: string): Promise<Stage> {
  const post = await publish(seat, connected);
  const comment = { person: 'fred.sandbox.test', on: post.there, message: 'Is it rye?' };
  await control('facebook/comment', comment);
  const [page] = (await seat.rest('GET', `/v1/accounts/${connected}/pages`)).body.data;
  const write = (text: string) =>
    control('facebook/message', { person: 'mia.sandbox.test', page: page.platform_page_id, text });
  await write('Are you open?');
  const thread = await newest(seat, '/v1/inbox/conversations', () => true);
  const asked = await newest(seat, `/v1/inbox/comments/${post.id}`, ({ text }) => text === comment.message);
  const count = async (what: string, is: (row: Json) => boolean) => {
    const all = (await control(`facebook/${what}`)) as Json[];
    return all.filter((row) => row.deleted_at === undefined && is(row)).length;
  };
  return {
    seat,
    write,
    kinds: {
      message: {
        path: `/v1/inbox/conversations/${thread.id}/messages`,
        ask: (text) => ({ text }),
        seen: (text) => count('messages', (row) => row.from_page && row.text === text),
        isMessage: true,
      },
      comment: {
        path: `/v1/inbox/comments/${post.id}`,
        ask: (text) => ({ text, comment_id: asked.id }),
        seen: (text) => count('comments', ({ message }) => message === text),
        isMessage: false,
      },
    },
  };
}

async function bluesky({ control }: World, seat: Seat, connected: string): Promise<Stage> {
  const [alice, bob] = ((await control('people')) as Json[]).filter(({ network }) => network === 'bluesky');
  const post = await publish(seat, connected);
  const act = (action: string, input: object) => control('act', { network: 'bluesky', action, ...input });
  const said = 'Is it rye?';
  await act('reply', { person: bob.id, post: post.there, text: said });
  const write = (text: string) => act('message', { person: bob.id, whom: alice.id, text });
  await write('Are you open?');
  const thread = await newest(seat, '/v1/inbox/conversations', () => true);
  const asked = await newest(seat, `/v1/inbox/comments/${post.id}`, ({ text }) => text === said);
  return {
    seat,
    write,
    kinds: {
      message: {
        path: `/v1/inbox/conversations/${thread.id}/messages`,
        ask: (text) => ({ text }),
        seen: async (text) =>
          ((await control('bluesky/messages')) as Json[]).filter((message) => message.text === text).length,
        isMessage: true,
      },
      comment: {
        path: `/v1/inbox/comments/${post.id}`,
        ask: (text) => ({ text, comment_id: asked.id }),
        seen: async (text) =>
          ((await control('posts')) as Json[])
            .filter((made) => made.text === text)
            .reduce((sum, { versions }) => sum + versions.length, 0),
        isMessage: false,
      },
    },
  };
}

async function connectAlice(world: World, seat: Seat): Promise<string> {
  const people = (await world.control('people')) as Json[];
  return connectBluesky(world, seat, people.find(({ network }) => network === 'bluesky').id);
}

const PLATFORMS = {
  facebook: {
    connect: (world: World, seat: Seat) =>
      connectFacebook(world, seat, { person: 'olivia.sandbox.test', pages: 'Harbour Coffee' }),
    stage: facebook,
    points: { message: ALL, comment: EFFECT },
  },
  bluesky: { connect: connectAlice, stage: bluesky, points: { message: ALL, comment: ALL } },
} as const;

/** Lets the clock go on while a server waits by it. */
async function hurried<T>(seat: Seat, work: Promise<T>): Promise<T> {
  const timer = setInterval(() => seat.pass(HURRY.ms), HURRY.everyMs);
  return work.finally(() => clearInterval(timer));
}

describe.concurrent.each(['facebook', 'bluesky'] as const)('a server that dies while it answers on %s', (name) => {
  const { connect, stage: prepare, points } = PLATFORMS[name];
  let world: World;
  let stage: Stage;
  let port = '0';
  const said: Readonly<{ text: string; kind: keyof Kinds; wishes: number }>[] = [];

  beforeAll(async () => {
    world = await openProcesses({ oneClock: true });
    const seat = world.seat('server');
    await seat.start();
    // Whoever pushes knows one address, which stays.
    port = new URL(seat.root()).port;
    const hook = await seat.rest('POST', '/v1/webhooks', { url: world.receiver.url, events: EVENTS });
    expect(hook.status).toBe(201);
    stage = await prepare(world, seat, await connect(world, seat));
  });
  afterAll(() => world?.close());

  const heard = (event: string, is: (data: Json) => boolean) =>
    world.receiver.received.filter(({ body }) => body.event === event && is(body.data));
  const deliveries = (told: readonly { headers: Record<string, unknown> }[]) =>
    new Set(told.map(({ headers }) => headers['x-service-delivery'])).size;

  /** Asks as clients do: what failed on the way, or with a 5xx, is asked again. */
  async function repeat(ask: () => Promise<Answer>): Promise<Readonly<{ body: Json; failures: number }>> {
    for (let failures = 0; ; failures += 1) {
      const answer = await hurried(stage.seat, ask());
      if (answer.status === 200) return { body: answer.body, failures };
      expect(answer).toMatchObject({ status: 502, body: { error: { code: `platform.${name}.api_error` } } });
      stage.seat.pass(AGAIN_MS);
    }
  }

  let turn: Promise<unknown> = Promise.resolve();
  /** The platforms are played at once, the tests of one of them one after the other, in their order. */
  function inTurn(test: () => Promise<void>): Promise<void> {
    const mine = turn.then(test);
    turn = mine.catch(() => undefined);
    return mine;
  }

  const cases = (['message', 'comment'] as const).flatMap((kind) =>
    points[kind].map((point) => [kind, point] as const),
  );
  it.each(cases)('with a %s at %s has sent it once, when the client has asked again', (kind, point) =>
    inTurn(async () => {
      const { seat, kinds } = stage;
      const { path, ask, seen, isMessage } = kinds[kind];
      const text = `A ${kind} at ${point} on ${name}`;
      const send = () => seat.rest('POST', path, ask(text));
      seat.dieAt(point, 1);
      const asked = send().catch(() => undefined);
      expect(await seat.ended()).toBe('SIGKILL');
      expect(await asked).toBeUndefined();
      const before = await seen(text);
      expect(before).toBe(point === 'send.answered' || point === 'send.committed' ? 1 : 0);
      seat.pass(AFTER_LEASES_MS);
      await seat.start({ PORT: port });
      const { body, failures } = await repeat(send);
      expect(await seen(text)).toBe(1);
      // Nobody can tell that facebook was never asked: then the wish is a new one after a while.
      said.push({ text, kind, wishes: failures > 0 ? 2 : 1 });
      expect([point, failures > 0]).toEqual([point, name === 'facebook' && point === 'send.sent']);
      if (!isMessage) return;
      await until(async () => heard('dm.status.sent', ({ mids }) => mids[0] === body.message_id)[0]);
      expect(heard('dm.sent', ({ content }) => content.text === text)).not.toEqual([]);
    }),
  );

  it('has reported it to everybody once, and taken one credit for each request', () =>
    inTurn(async () => {
      const { seat, write, kinds } = stage;
      await write('Thanks');
      // Everything that was pushed or can be polled before this has been taken in when it is heard.
      if (name === 'facebook') await world.control('facebook/flush', {});
      await until(async () => {
        seat.pass(HURRY.ms);
        return heard('dm.received', ({ content }) => content.text === 'Thanks')[0];
      }, HURRY.everyMs);
      for (const { text, kind } of said) {
        expect([text, await kinds[kind].seen(text)]).toEqual([text, 1]);
        const told = heard('dm.sent', ({ content }) => content.text === text);
        expect([text, deliveries(told)]).toEqual([text, kind === 'message' ? 1 : 0]);
        const [id] = told.map(({ body }) => body.data['platform_id']);
        const statuses = heard('dm.status.sent', ({ mids }) => mids.includes(id));
        expect([text, deliveries(statuses)]).toEqual([text, kind === 'message' ? 1 : 0]);
      }
      expect(heard('comment.received', ({ content }) => said.some(({ text }) => text === content.text))).toEqual([]);
      const { body } = await seat.rest('GET', '/v1/usage');
      expect(body.interactions_used).toBe(said.reduce((sum, { wishes }) => sum + wishes, 0));
    }));
});
