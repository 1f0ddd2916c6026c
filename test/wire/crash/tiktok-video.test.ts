import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until, type Json } from '../../harness/processes.ts';
import { tiktokSubjects } from '../../platforms/conformance/subjects/tiktok.ts';
import { laneOf, type Own } from './posts.ts';
import { hashOf, MB, openHost, residentMb } from './videos.ts';
import { AFTER_LEASES_MS, expectOnce, finalPost, openCrashWorld } from './world.ts';

const KILLS = 10;
const SIZE = 300 * MB;

let world: Awaited<ReturnType<typeof openCrashWorld<Own>>>;
let host: Awaited<ReturnType<typeof openHost>>;
beforeAll(async () => {
  [world, host] = [await openCrashWorld([laneOf(tiktokSubjects[0]!)], { oneClock: true }), await openHost()];
});
afterAll(async () => {
  host?.close();
  await world?.close();
});

const postOf = (size: number, account: string) => ({
  text: `A video of ${size} bytes`,
  media: [{ source: host.urlOf(size), source_type: 'url', type: 'video' }],
  account_ids: [account],
  publish_now: true,
});

const seenOf = (size: number) => async () => {
  const posts: Json[] = await world.control('tiktok/posts');
  const ours = posts.filter(({ about }) => about.text === `A video of ${size} bytes`);
  return [{ now: ours.filter(({ deleted_at }) => deleted_at === undefined).length, ever: ours.length }];
};

it('a video of 300 MB goes up in chunks with less than 100 MB more resident memory, through ten kills, once', () =>
  world.use(async (lane) => {
    const { seat, own } = lane;
    for (const size of [5 * MB, 20 * MB]) {
      lane.count();
      await seat.rest('POST', '/v1/posts', postOf(size, own.account));
      expect(await finalPost(lane)).toMatchObject({ status: 'published' });
    }
    let before = residentMb(seat);
    let most = 0;
    lane.count();
    seat.dieAt('publish.step.kept', 3);
    void seat.rest('POST', '/v1/posts', postOf(SIZE, own.account)).catch(() => undefined);
    for (let kills = 1; kills <= KILLS; kills += 1) {
      const watched = setInterval(() => (most = Math.max(most, residentMb(seat) - before)), 100);
      expect(await seat.ended().finally(() => clearInterval(watched))).toBe('SIGKILL');
      seat.pass(AFTER_LEASES_MS);
      await seat.start();
      // It dies again with the next chunks, and runs to the end after the last time.
      if (kills < KILLS) seat.dieAt('publish.step.kept', 2);
      before = residentMb(seat);
    }
    const post = await until(async () => {
      most = Math.max(most, residentMb(seat) - before);
      const [newest]: Json[] = (await seat.rest('GET', '/v1/posts?sort=created_desc&limit=1')).body.data;
      seat.pass(1000);
      return newest.status === 'publishing' ? undefined : newest;
    }, 100);
    process.stdout.write(`300 MB: at most ${most.toFixed(0)} MB more resident memory\n`);
    expect(post).toMatchObject({ status: 'published' });
    expect(most).toBeLessThan(100);
    await expectOnce(world, lane, seenOf(SIZE));
    expect(host.timesAsked(SIZE)).toBe(1);
    // What people will watch is what was sent, to the last byte.
    const posts: Json[] = await world.control('tiktok/posts');
    const [blob] = posts.find(({ about }) => about.text === post.text)!.blobs;
    const hash = createHash('sha256');
    for await (const piece of (await fetch(`${world.twins}/tiktok/cdn/${blob}`)).body!) hash.update(piece);
    expect(hash.digest('hex')).toBe(hashOf(SIZE));
  }));
