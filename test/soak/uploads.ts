import { createHash } from 'node:crypto';
import { openProcesses, until, type Json } from '../harness/processes.ts';
import { doorOf } from '../platforms/conformance/process.ts';
import type { Subject } from '../platforms/conformance/subject.ts';
import { tiktokSubjects } from '../platforms/conformance/subjects/tiktok.ts';
import { youtubeSubject } from '../platforms/conformance/subjects/youtube.ts';
import { hashOf, MB, openHost, residentMb } from '../wire/crash/videos.ts';
import { AFTER_LEASES_MS } from '../wire/crash/world.ts';

type Platform = Readonly<{
  subject: Subject;
  /** Where the simulator lists what was published. */
  list: string;
  /** The text of one of these, and the file that people get to see. */
  textOf(item: Json): string;
  blobOf(item: Json): string;
}>;

/** Platforms that take videos in chunks, and go on where an upload stopped. */
export const UPLOADS: Readonly<Record<'tiktok' | 'youtube', Platform>> = {
  tiktok: {
    subject: tiktokSubjects[0]!,
    list: 'posts',
    textOf: ({ about }) => about.text,
    blobOf: ({ blobs }) => blobs[0],
  },
  youtube: {
    subject: youtubeSubject,
    list: 'videos',
    textOf: ({ about }) => about.title,
    blobOf: ({ blob }) => blob,
  },
};

/**
 * Publishes a video from a URL while the server is killed again and again after a chunk of it. Answers the post, how
 * much the server's resident memory grew at most in one life, how often the file was fetched, the videos that the
 * platform has, and whether people see what was sent, to the last byte.
 */
export async function uploadThroughKills(
  { subject, list, textOf, blobOf }: Platform,
  megabytes: number,
  kills: number,
) {
  const size = megabytes * MB;
  const { slug } = subject.platform;
  const [world, host] = [await openProcesses({ oneClock: true }), await openHost()];
  try {
    const seat = world.seat('server', { MEDIA_MAX_BYTES: String(4 * 1024 ** 3) });
    await seat.start();
    const { account } = await subject.connect(doorOf(world, seat), 0);
    const textFor = (bytes: number) => `A video of ${bytes} bytes`;
    const publish = (bytes: number) =>
      seat.rest('POST', '/v1/posts', {
        title: textFor(bytes),
        text: textFor(bytes),
        account_ids: [account],
        publish_now: true,
        media: [{ source: host.urlOf(bytes), source_type: 'url', type: 'video' }],
      });
    const newest = async (): Promise<Json> =>
      (await seat.rest('GET', '/v1/posts?sort=created_desc&limit=1')).body.data[0];
    const finished = (look: () => void = () => {}) =>
      until(async () => {
        look();
        seat.pass(1000);
        const post = await newest();
        return post.status === 'publishing' ? undefined : post;
      }, 100);

    // What any first upload takes is no part of what a large one takes.
    for (const small of [5 * MB, 20 * MB]) {
      await publish(small);
      await finished();
    }
    let before = residentMb(seat.pid());
    let most = 0;
    const look = () => void (most = Math.max(most, residentMb(seat.pid()) - before));
    seat.dieAt('publish.step.kept', 3);
    void publish(size).catch(() => undefined);
    for (let killed = 1; killed <= kills; killed += 1) {
      const looking = setInterval(look, 100);
      const how = await seat.ended().finally(() => clearInterval(looking));
      if (how !== 'SIGKILL') throw new Error(`the server ended with ${how}`);
      seat.pass(AFTER_LEASES_MS);
      await seat.start();
      // It dies again with the next chunks, and runs to the end after the last time.
      if (killed < kills) seat.dieAt('publish.step.kept', 2);
      before = residentMb(seat.pid());
    }
    const post = await finished(look);
    const listed: Json[] = await world.control(`${slug}/${list}`);
    const videos = listed.filter((item) => textOf(item) === textFor(size));
    const hash = createHash('sha256');
    const [video] = videos;
    if (video !== undefined)
      for await (const piece of (await fetch(`${world.twins}/${slug}/cdn/${blobOf(video)}`)).body!) hash.update(piece);
    return { post, mostMb: most, fetches: host.timesAsked(size), videos, isSame: hash.digest('hex') === hashOf(size) };
  } finally {
    host.close();
    await world.close();
  }
}
