import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CrashPointName } from '#call/crash-points.ts';
import { connectFacebook, until, type Json } from '../../harness/processes.ts';
import { hashOf, MB, openHost, residentMb } from './videos.ts';
import { dieWhilePublishing, expectOnce, finalPost, useCrashWorld, type Lane } from './world.ts';

const onLane = useCrashWorld((world, seat) =>
  connectFacebook(world, seat, { person: 'olivia.sandbox.test', pages: 'Harbour Coffee' }),
);
let host: Awaited<ReturnType<typeof openHost>>;
beforeAll(async () => {
  host = await openHost();
});
afterAll(() => host?.close());

const postOf = (size: number, account: string, options: object = {}) => ({
  text: `A video of ${size} bytes`,
  media: [{ source: host.urlOf(size), source_type: 'url', type: 'video' }],
  account_ids: [account],
  ...options,
});

/** The platform has the video once, whole. */
async function expectWhole({ processes }: Lane, size: number): Promise<void> {
  const all: Json[] = await processes.control('facebook/videos');
  const videos = all.filter(({ file_size, deleted_at }) => file_size === size && deleted_at === undefined);
  expect(videos).toMatchObject([{ sha256: hashOf(size), published: true }]);
}

/** The file was fetched once, and dropped. */
async function expectFetchedOnce(lane: Lane, size: number): Promise<void> {
  expect(host.timesAsked(size)).toBe(1);
  await until(async () => fetched(lane).length === 0 || undefined);
}

const seenOf =
  ({ processes }: Lane, size: number) =>
  async () => {
    const posts: Json[] = await processes.control('facebook/posts');
    const ours = posts.filter(({ message }) => message === `A video of ${size} bytes`);
    const now = ours.filter(({ is_published, deleted_at }) => is_published && deleted_at === undefined);
    return [{ now: now.length, ever: ours.length }];
  };

/** Files that were fetched and not dropped. */
const fetched = ({ seat }: Lane) =>
  readdirSync(join(seat.folder, 'spool'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());

describe('a video from a URL', () => {
  it('of 500 MB is published with less than 100 MB more resident memory', () =>
    onLane(async (lane) => {
      const { seat, own: account } = lane;
      const publish = (size: number) => {
        lane.count();
        return seat.rest('POST', '/v1/posts', { ...postOf(size, account), publish_now: true });
      };
      for (const size of [5 * MB, 6 * MB]) {
        await publish(size);
        await finalPost(lane);
      }
      const before = residentMb(seat.pid());
      let most = before;
      const size = 500 * MB;
      const asked = publish(size);
      const post = await until(async () => {
        most = Math.max(most, residentMb(seat.pid()));
        const [newest]: Json[] = (await seat.rest('GET', '/v1/posts?sort=created_desc&limit=1')).body.data;
        if (newest.text !== postOf(size, account).text || newest.status === 'publishing') return undefined;
        return newest;
      }, 100);
      await asked;
      process.stdout.write(`500 MB: ${before.toFixed(0)} MB resident before, ${most.toFixed(0)} MB at most\n`);
      expect(post).toMatchObject({ status: 'published', results: [{ attempts: 1 }] });
      expect(most - before).toBeLessThan(100);
      await expectWhole(lane, size);
      await expectFetchedOnce(lane, size);
    }));

  // 20 MB are five parts: the request that begins the upload, and one for each.
  const PARTS = [1, 2, 3, 4, 5];
  const DEATHS: readonly (readonly [CrashPointName, number])[] = PARTS.flatMap((part) => [
    ['publish.request.answered', part + 1] as const,
    ['publish.step.kept', part + 1] as const,
  ]);
  let sizes = 20 * MB;

  it.each(DEATHS)('goes on after a SIGKILL at %s, the %dth time, and there is one video', (point, nth) =>
    onLane(async (lane) => {
      const size = (sizes += 1000);
      await dieWhilePublishing(lane, [point, nth], postOf(size, lane.own));
      expect(fetched(lane)).toHaveLength(1);
      await expectOnce(lane, seenOf(lane, size));
      await expectWhole(lane, size);
      await expectFetchedOnce(lane, size);
    }),
  );

  it.each([1, 3])('as a reel goes on after a SIGKILL at publish.request.answered, the %dth time', (nth) =>
    onLane(async (lane) => {
      const size = (sizes += 1000);
      const options = { platform_data: { facebook: { media_type: 'reel' } } };
      await dieWhilePublishing(lane, ['publish.request.answered', nth], postOf(size, lane.own, options));
      await expectOnce(lane, seenOf(lane, size));
      await expectWhole(lane, size);
    }),
  );
});
