import { describe, expect, it } from 'vitest';
import type { CrashPointName } from '#call/crash-points.ts';
import { mp4, sha256Of } from '#test/harness/media-samples.ts';
import type { Json } from '#test/harness/processes.ts';
import { linkedinSubject } from '#test/platforms/conformance/subjects/linkedin.ts';
import { lastRequest } from '#test/platforms/conformance/checks/faults.ts';
import { laneOf, publishesThroughKills } from '../posts.ts';
import { dieWhilePublishing, finalPost, useCrashWorld } from '../world.ts';

publishesThroughKills(linkedinSubject);

const PART = 4_194_304;
const PARTS = 10;
const HEAD = mp4({ ms: 5000, tracks: [{ handler: 'vide', width: 1280, height: 720 }] });

/** A video of 40 MB, no two parts of which look alike. */
function film(): Buffer<ArrayBuffer> {
  const bytes = Buffer.alloc(40_000_000);
  for (let part = 0; part < PARTS; part += 1) bytes.fill(part + 1, part * PART);
  HEAD.copy(bytes);
  return bytes;
}

const onLane = useCrashWorld(laneOf(linkedinSubject));

describe('a video of 40 MB', () => {
  // The request that begins the upload comes before the parts, and what it answers is kept first.
  const DEATHS: readonly (readonly [about: string, point: CrashPointName, sent: number])[] = [
    ['after part 6 was noted', 'publish.step.kept', PARTS],
    ['after part 6 arrived, before that was noted', 'publish.request.answered', PARTS + 1],
  ];

  it.each(DEATHS)('of a server that died %s goes on there, and its parts are finalised in order', (_, point, sent) =>
    onLane(async (lane) => {
      const { door, account } = lane.own;
      const bytes = film();
      const media = await door.upload('film.mp4', 'video/mp4', bytes);
      const before = await lastRequest(door);
      const input = { text: `Film ${point}`, account_ids: [account], media_ids: [media] };
      await dieWhilePublishing(lane, [point, 7], input);
      expect(await finalPost(lane)).toMatchObject({ status: 'published' });

      const requests = ((await door.control('requests')) as readonly Json[]).filter(({ id }) => id > before);
      const calls = (name: string) => requests.filter(({ method }) => method === name);
      expect(calls('PUT /dms-uploads/{asset}/{token}/{at}')).toHaveLength(sent);
      expect(calls('POST /rest/videos')).toHaveLength(2);
      // The simulator takes the names of all parts in their order alone, and puts the video together.
      const posts = (await door.control('linkedin/posts')) as readonly Json[];
      const { body } = posts.find((post) => post.body.commentary === input.text)!;
      const assets = (await door.control('linkedin/assets')) as readonly Json[];
      const { blob } = assets.find(({ id }) => id === body.content.media.id)!;
      const shown = await fetch(`${lane.processes.twins}/linkedin/cdn/${blob}`);
      expect(sha256Of(new Uint8Array(await shown.arrayBuffer()))).toBe(sha256Of(bytes));
    }),
  );
});
