import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CrashPointName } from '../../../src/call/crash-points.ts';
import { jpeg, mp4 } from '../../harness/media-samples.ts';
import { connectByConsent, upload, type Json, type Processes, type Seat } from '../../harness/processes.ts';
import { dieWhilePublishing, expectOnce, openCrashWorld } from './world.ts';

type Own = Readonly<{ seat: Seat; account: string }>;

const laneOf = (person: string) =>
  async function prepare(world: Processes, seat: Seat): Promise<Own> {
    return { seat, account: await connectByConsent(world, seat, 'instagram', { person }) };
  };

let world: Awaited<ReturnType<typeof openCrashWorld<Own>>>;
beforeAll(async () => {
  world = await openCrashWorld([laneOf('harbour.coffee'), laneOf('single.origin.studio')]);
});
afterAll(() => world?.close());

const KINDS = ['image', 'carousel', 'reel', 'story'] as const;
type Kind = (typeof KINDS)[number];

/** Three steps each: container, publish and name; a carousel makes and awaits its items in the first. */
const STEPS: readonly (readonly [CrashPointName, readonly number[]])[] = [
  ['publish.claimed', [1]],
  ['publish.step.sent', [1, 2, 3]],
  ['publish.step.answered', [1, 2]],
  ['publish.step.committed', [2]],
  ['publish.concluded', [1]],
];
/** The look while Instagram is at work, and the answer to what has published: its post is there, its id is not. */
const REQUESTS: Readonly<Record<Kind, readonly number[]>> = {
  image: [1, 2, 4, 5],
  carousel: [2, 4, 7, 8],
  reel: [2, 4, 5],
  story: [2, 4],
};
const ALL = KINDS.flatMap((kind) =>
  [...STEPS, ['publish.request.answered', REQUESTS[kind]] as const].flatMap(([point, times]) =>
    times.map((nth) => [kind, point, nth] as const),
  ),
);

let posts = 0;

async function postOf(kind: Kind, { seat, account }: Own) {
  posts += 1;
  const text = `Crash ${posts} of a ${kind}`;
  const photo = () => upload(seat, 'a.jpg', 'image/jpeg', Buffer.concat([jpeg(1080, 1080), Buffer.from(text)]));
  const tracks = [{ handler: 'vide', width: 720, height: 1280 }] as const;
  const video = () => upload(seat, 'a.mp4', 'video/mp4', mp4({ ms: 5000 + posts, tracks }));
  const inputs: Readonly<Record<Kind, () => Promise<object>>> = {
    image: async () => ({ media_ids: [await photo()] }),
    carousel: async () => ({ media_ids: [await photo(), await video()] }),
    reel: async () => ({ media_ids: [await video()] }),
    story: async () => ({ media_ids: [await photo()], platform_data: { instagram: { media_type: 'stories' } } }),
  };
  const all = async () => (await world.control('instagram/posts')) as Json[];
  const before = new Set((await all()).map(({ id }) => id));
  const owner = (await seat.rest('GET', `/v1/accounts`)).body.data[0].username as string;
  const pages = (await world.control('instagram/accounts')) as Json[];
  const page = pages.find(({ username }) => username === owner).id as string;
  const input = { text, account_ids: [account], ...(await inputs[kind]()) };
  /** Stories carry no text: they are those of the account that came since. */
  const isOurs = (post: Json) =>
    kind === 'story'
      ? post.product === 'STORY' && post.page_id === page && !before.has(post.id)
      : post.caption === text;
  async function seen() {
    const ours = (await all()).filter(isOurs);
    return [{ now: ours.filter(({ deleted_at }) => deleted_at === undefined).length, ever: ours.length }];
  }
  const idOf = async () => (await all()).find(isOurs)?.id as string;
  return { input, seen, idOf };
}

describe.concurrent('a server that dies', () => {
  it.each(ALL)(
    'with a %s at %s, the %dth time, has published once after its restart, and knows it',
    (kind, point, nth) =>
      world.use(async (lane) => {
        const { input, seen, idOf } = await postOf(kind, lane.own);
        await dieWhilePublishing(world, lane, [point, nth], input);
        const post = await expectOnce(world, lane, seen);
        expect(post.results[0].platform_post_id).toBe(await idOf());
      }),
  );
});
