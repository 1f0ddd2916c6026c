import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CrashPointName } from '../../../src/call/crash-points.ts';
import { png } from '../../harness/media-samples.ts';
import { connectBluesky, until, upload, type Json, type Processes, type Seat } from '../../harness/processes.ts';
import { AFTER_LEASES_MS, dieWhilePublishing, expectOnce, finalPost, openCrashWorld } from './world.ts';

type Own = Readonly<{ account: string; person: string; mediaId: string }>;

/** Each server has a person of its own: what two of them did with one login would end it. */
const laneOf = (index: number) =>
  async function prepare(world: Processes, seat: Seat): Promise<Own> {
    const { id: person } = (await world.control('people')).filter(({ network }: Json) => network === 'bluesky')[index];
    const account = await connectBluesky(world, seat, person);
    return { account, person, mediaId: await upload(seat, 'picture.png', 'image/png', png()) };
  };

let world: Awaited<ReturnType<typeof openCrashWorld<Own>>>;
beforeAll(async () => {
  world = await openCrashWorld([laneOf(0), laneOf(1)]);
});
afterAll(() => world?.close());

const KINDS = ['text', 'image', 'thread', 'first comment'] as const;
type Kind = (typeof KINDS)[number];

/** At which of its passings of a point each kind dies: a picture is uploaded first, a thread has a second post. */
const DEATHS: Readonly<Record<Kind, readonly (readonly [CrashPointName, ...nth: number[]])[]>> = {
  text: [
    ['publish.claimed', 1],
    ['publish.step.sent', 1, 2],
    ['publish.request.answered', 1],
    ['publish.step.answered', 1, 2],
    ['publish.step.committed', 1, 2],
    ['publish.concluded', 1],
    ['delivery.claimed', 1],
    ['delivery.sent', 1],
    ['delivery.committed', 1],
  ],
  image: [
    ['publish.claimed', 1],
    ['publish.step.sent', 2, 3],
    ['publish.request.answered', 1, 2],
    ['publish.step.answered', 2],
    ['publish.step.committed', 2],
    ['publish.concluded', 1],
  ],
  'first comment': [
    ['publish.step.sent', 3],
    ['publish.request.answered', 1, 2],
    ['publish.step.committed', 2, 3],
    ['publish.concluded', 1],
  ],
  thread: [
    ['publish.claimed', 1],
    ['publish.step.sent', 3],
    ['publish.request.answered', 1, 2],
    ['publish.step.answered', 2],
    ['publish.step.committed', 2, 3],
    ['publish.concluded', 1],
  ],
};
const ALL = KINDS.flatMap((kind) =>
  DEATHS[kind].flatMap(([point, ...times]) => times.map((nth) => [kind, point, nth] as const)),
);

let posts = 0;

/** A post whose text nobody used before, and what is seen of it. */
function postOf(kind: Kind, { account, mediaId }: Own) {
  posts += 1;
  const text = `Crash ${posts} of ${kind}`;
  const second = `${text}, continued`;
  const texts = kind === 'thread' || kind === 'first comment' ? [text, second] : [text];
  return {
    input: {
      text,
      account_ids: [account],
      ...(kind === 'image' && { media_ids: [mediaId] }),
      ...(kind === 'first comment' && { first_comment: second }),
      ...(kind === 'thread' && { segments: [{ text: second }] }),
    },
    async seen() {
      const made: Json[] = await world.control('posts');
      return texts.map((one) => {
        const found = made.filter((post) => post.text === one);
        return {
          now: found.filter(({ exists }) => exists).length,
          ever: found.reduce((sum, { versions }) => sum + versions.length, 0),
        };
      });
    },
  };
}

describe.concurrent('a server that dies', () => {
  it.each(ALL)('with a %s at %s, the %dth time, has published once after its restart', (kind, point, nth) =>
    world.use(async (lane) => {
      const { input, seen } = postOf(kind, lane.own);
      await dieWhilePublishing(lane, [point, nth], input);
      await expectOnce(world, lane, seen);
    }),
  );

  it.each([0, 1, 2])('at a moment of its own choosing (%d), too', () =>
    world.use(async (lane) => {
      const { seat, own } = lane;
      const { input, seen } = postOf(KINDS[Math.floor(Math.random() * KINDS.length)]!, own);
      const before = (await finalPost(lane)).id;
      const asked = seat.rest('POST', '/v1/posts', { ...input, publish_now: true }).catch(() => undefined);
      await pause(Math.random() * 80);
      await seat.kill();
      await asked;
      seat.pass(AFTER_LEASES_MS);
      await seat.start();
      // Killed before the request was taken in: then the client was told nothing, and nothing is public.
      const { id } = await finalPost(lane);
      if (id === before) for (const part of await seen()) expect(part.ever).toBe(0);
      else {
        lane.count();
        await expectOnce(world, lane, seen);
      }
    }),
  );

  it('before its post is due publishes it at its time', () =>
    world.use(async (lane) => {
      const { seat, own } = lane;
      const { input, seen } = postOf('text', own);
      const scheduled_at = new Date(seat.now() + AFTER_LEASES_MS / 2).toISOString();
      expect((await seat.rest('POST', '/v1/posts', { ...input, scheduled_at })).status).toBe(201);
      lane.count();
      await seat.kill();
      seat.pass(AFTER_LEASES_MS);
      await seat.start();
      await expectOnce(world, lane, seen);
    }));

  it('no more, but is told to stop while it publishes, lets it end, answers, and exits with 0', () =>
    world.use(async (lane) => {
      const { seat, own } = lane;
      const fault = { kind: 'slow', method: 'com.atproto.repo.putRecord', delay_ms: 1000 };
      await world.control('faults', { person: own.person, ...fault });
      const { input, seen } = postOf('text', own);
      const asked = seat.rest('POST', '/v1/posts', { ...input, publish_now: true });
      lane.count();
      await until(async () => (await seen())[0]!.now > 0 || undefined);
      const ended = seat.stop();
      expect(await asked).toMatchObject({ status: 201, body: { status: 'published' } });
      expect(await ended).toBe(0);
      await seat.start();
      await expectOnce(world, lane, seen);
    }));
});
