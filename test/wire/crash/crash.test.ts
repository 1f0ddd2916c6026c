import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { until } from '../../harness/processes.ts';
import { blueskySubject } from '../../platforms/conformance/subjects/bluesky.ts';
import { laneOf, postOf } from './posts.ts';
import { AFTER_LEASES_MS, dieWhilePublishing, expectOnce, finalPost, useCrashWorld } from './world.ts';

// Each server has a person of its own: what two of them did with one login would end it.
const onLane = useCrashWorld(laneOf(blueskySubject, 0), laneOf(blueskySubject, 1));

const KINDS = Object.keys(blueskySubject.posts);

describe.concurrent('a server that dies', () => {
  it.each(['delivery.claimed', 'delivery.sent', 'delivery.committed'] as const)(
    'at %s has sent its event once',
    (point) =>
      onLane(async (lane) => {
        const { input, seen } = await postOf(blueskySubject, 'text', lane.own);
        await dieWhilePublishing(lane, [point, 1], input);
        await expectOnce(lane, seen);
      }),
  );

  it.each([0, 1, 2])('at a moment of its own choosing (%d), too', () =>
    onLane(async (lane) => {
      const { seat, own } = lane;
      const { input, seen } = await postOf(blueskySubject, KINDS[Math.floor(Math.random() * KINDS.length)]!, own);
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
        await expectOnce(lane, seen);
      }
    }),
  );

  it('before its post is due publishes it at its time', () =>
    onLane(async (lane) => {
      const { seat, own } = lane;
      const { input, seen } = await postOf(blueskySubject, 'text', own);
      const scheduled_at = new Date(seat.now() + AFTER_LEASES_MS / 2).toISOString();
      expect((await seat.rest('POST', '/v1/posts', { ...input, scheduled_at })).status).toBe(201);
      lane.count();
      await seat.kill();
      seat.pass(AFTER_LEASES_MS);
      await seat.start();
      await expectOnce(lane, seen);
    }));

  it('no more, but is told to stop while it publishes, lets it end, answers, and exits with 0', () =>
    onLane(async (lane) => {
      const { seat, own } = lane;
      const fault = { kind: 'slow', method: 'com.atproto.repo.putRecord', delay_ms: 1000 };
      await lane.processes.control('faults', { person: own.person, ...fault });
      const { input, seen } = await postOf(blueskySubject, 'text', own);
      const asked = seat.rest('POST', '/v1/posts', { ...input, publish_now: true });
      lane.count();
      await until(async () => (await seen())[0]!.now > 0 || undefined);
      const ended = seat.stop();
      expect(await asked).toMatchObject({ status: 201, body: { status: 'published' } });
      expect(await ended).toBe(0);
      await seat.start();
      await expectOnce(lane, seen);
    }));
});
