import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CrashPointName } from '../../../src/call/crash-points.ts';
import { connectFacebook, until, type Json, type Processes, type Seat } from '../../harness/processes.ts';
import { hashOf, MB, openHost, residentMb } from './videos.ts';
import { dieWhilePublishing, expectOnce, finalPost, openCrashWorld, type Lane } from './world.ts';

type Own = Readonly<{ seat: Seat; account: string }>;

async function prepare(world: Processes, seat: Seat): Promise<Own> {
  return {
    seat,
    account: await connectFacebook(world, seat, { person: 'olivia.sandbox.test', pages: 'Harbour Coffee' }),
  };
}

let world: Awaited<ReturnType<typeof openCrashWorld<Own>>>;
let host: Awaited<ReturnType<typeof openHost>>;
beforeAll(async () => {
  [world, host] = [await openCrashWorld([prepare]), await openHost()];
});
afterAll(async () => {
  host?.close();
  await world?.close();
});

const postOf = (size: number, account: string, options: object = {}) => ({
  text: `A video of ${size} bytes`,
  media: [{ source: host.urlOf(size), source_type: 'url', type: 'video' }],
  account_ids: [account],
  ...options,
});

/** What the platform has of a video: the uploads that are there, and how often its post is and was public. */
async function videos(size: number) {
  const all: Json[] = await world.control('facebook/videos');
  return all.filter(({ file_size, deleted_at }) => file_size === size && deleted_at === undefined);
}

const seenOf = (size: number) => async () => {
  const posts: Json[] = await world.control('facebook/posts');
  const ours = posts.filter(({ message }) => message === `A video of ${size} bytes`);
  const now = ours.filter(({ is_published, deleted_at }) => is_published && deleted_at === undefined);
  return [{ now: now.length, ever: ours.length }];
};

/** Files that were fetched and not dropped. */
const fetched = ({ seat }: Lane) =>
  readdirSync(join(seat.folder, 'spool'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());

describe('a video from a URL', () => {
  it('of 500 MB is published with less than 100 MB more resident memory', () =>
    world.use(async (lane) => {
      const { seat, account } = lane.own;
      for (const size of [5 * MB, 6 * MB]) {
        lane.count();
        await seat.rest('POST', '/v1/posts', { ...postOf(size, account), publish_now: true });
        await finalPost(lane);
      }
      const before = residentMb(seat);
      let most = before;
      const size = 500 * MB;
      lane.count();
      const asked = seat.rest('POST', '/v1/posts', { ...postOf(size, account), publish_now: true });
      const post = await until(async () => {
        most = Math.max(most, residentMb(seat));
        const [newest]: Json[] = (await seat.rest('GET', '/v1/posts?sort=created_desc&limit=1')).body.data;
        if (newest.text !== postOf(size, account).text || newest.status === 'publishing') return undefined;
        return newest;
      }, 100);
      await asked;
      process.stdout.write(`500 MB: ${before.toFixed(0)} MB resident before, ${most.toFixed(0)} MB at most\n`);
      expect(post).toMatchObject({ status: 'published', results: [{ attempts: 1 }] });
      expect(most - before).toBeLessThan(100);
      expect(await videos(size)).toMatchObject([{ sha256: hashOf(size), published: true }]);
      expect(host.timesAsked(size)).toBe(1);
      await until(async () => fetched(lane).length === 0 || undefined);
    }));

  // 20 MB are five parts: the request that begins the upload, and one for each.
  const PARTS = [1, 2, 3, 4, 5];
  const DEATHS: readonly (readonly [CrashPointName, number])[] = PARTS.flatMap((part) => [
    ['publish.request.answered', part + 1] as const,
    ['publish.step.kept', part + 1] as const,
  ]);
  let sizes = 20 * MB;

  it.each(DEATHS)('goes on after a SIGKILL at %s, the %dth time, and there is one video', (point, nth) =>
    world.use(async (lane) => {
      const size = (sizes += 1000);
      await dieWhilePublishing(world, lane, [point, nth], postOf(size, lane.own.account));
      expect(fetched(lane)).toHaveLength(1);
      await expectOnce(world, lane, seenOf(size));
      expect(await videos(size)).toMatchObject([{ sha256: hashOf(size), published: true }]);
      expect(host.timesAsked(size)).toBe(1);
      await until(async () => fetched(lane).length === 0 || undefined);
    }),
  );

  it.each([1, 3])('as a reel goes on after a SIGKILL at publish.request.answered, the %dth time', (nth) =>
    world.use(async (lane) => {
      const size = (sizes += 1000);
      const options = { platform_data: { facebook: { media_type: 'reel' } } };
      await dieWhilePublishing(world, lane, ['publish.request.answered', nth], postOf(size, lane.own.account, options));
      await expectOnce(world, lane, seenOf(size));
      expect(await videos(size)).toMatchObject([{ sha256: hashOf(size), published: true }]);
    }),
  );
});
