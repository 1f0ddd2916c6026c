import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CrashPointName } from '../../../src/call/crash-points.ts';
import { mp4, png } from '../../harness/media-samples.ts';
import { connectFacebook, upload, type Json, type Processes, type Seat } from '../../harness/processes.ts';
import { dieWhilePublishing, expectOnce, expectUnknown, finalPost, openCrashWorld } from './world.ts';

type Own = Readonly<{ seat: Seat; account: string }>;

const laneOf = (person: string, pages: string) =>
  async function prepare(world: Processes, seat: Seat): Promise<Own> {
    return { seat, account: await connectFacebook(world, seat, { person, pages }) };
  };

let world: Awaited<ReturnType<typeof openCrashWorld<Own>>>;
beforeAll(async () => {
  world = await openCrashWorld([
    laneOf('olivia.sandbox.test', 'Harbour Coffee'),
    laneOf('sam.sandbox.test', 'Single Origin Studio'),
  ]);
});
afterAll(() => world?.close());

const KINDS = [
  'text',
  'link',
  'photo',
  'photos',
  'video',
  'reel',
  'photo story',
  'video story',
  'first comment',
] as const;
type Kind = (typeof KINDS)[number];

/** At which of its passings each kind dies: the steps and requests that make something, and those around them. */
type Times = readonly number[];
type Deaths = Readonly<{ sent: Times; requests: Times; answered: Times; committed: Times }>;
const DEATHS: Readonly<Record<Kind, Deaths>> = {
  // draft, publish.
  text: { sent: [1, 2], requests: [1, 2, 3], answered: [1, 2], committed: [1, 2] },
  link: { sent: [2], requests: [1, 2], answered: [1], committed: [2] },
  // The photo comes first.
  photo: { sent: [1], requests: [1, 2], answered: [2], committed: [1] },
  photos: { sent: [2], requests: [2, 4], answered: [3], committed: [2] },
  // upload (start, piece, finish), ready, publish, shown.
  video: { sent: [1], requests: [2, 3, 6], answered: [1, 4], committed: [2] },
  // start, bytes, finish, live, shown.
  reel: { sent: [2, 3], requests: [3, 5], answered: [2, 3], committed: [1] },
  'video story': { sent: [4], requests: [3, 6], answered: [3], committed: [3] },
  // The photo, then the story: a step that is looked up, never repeated.
  'photo story': { sent: [1], requests: [1, 2], answered: [2], committed: [1] },
  // draft, publish, and the comment after the post is published.
  'first comment': { sent: [2], requests: [2, 4], answered: [3], committed: [2, 3] },
};

const ALL = KINDS.flatMap((kind) => {
  const { sent, requests, answered, committed } = DEATHS[kind];
  const points: readonly (readonly [CrashPointName, Times])[] = [
    ['publish.claimed', [1]],
    ['publish.step.sent', sent],
    ['publish.request.answered', requests],
    ['publish.step.answered', answered],
    ['publish.step.committed', committed],
    ['publish.concluded', [1]],
  ];
  return points.flatMap(([point, times]) => times.map((nth) => [kind, point, nth] as const));
});

let posts = 0;

/** A post whose text and media nobody used before, and what is seen of it. */
async function postOf(kind: Kind, { seat, account }: Own) {
  posts += 1;
  const text = `Crash ${posts} of a ${kind}`;
  const photo = (n = 0) => upload(seat, 'photo.png', 'image/png', png(3, 2, posts * 10 + n));
  const upright = { handler: 'vide', width: 720, height: 1280 } as const;
  const video = () => upload(seat, 'video.mp4', 'video/mp4', mp4({ ms: 5000 + posts, tracks: [upright] }));
  const options = (facebook: object) => ({ platform_data: { facebook } });
  const inputs: Readonly<Record<Kind, () => Promise<object>>> = {
    text: async () => ({}),
    link: async () => options({ link: 'https://example.org/news' }),
    photo: async () => ({ media_ids: [await photo()] }),
    photos: async () => ({ media_ids: [await photo(), await photo(1)] }),
    video: async () => ({ media_ids: [await video()] }),
    reel: async () => ({ media_ids: [await video()], ...options({ media_type: 'reel' }) }),
    'photo story': async () => ({ media_ids: [await photo()], ...options({ media_type: 'stories' }) }),
    'video story': async () => ({ media_ids: [await video()], ...options({ media_type: 'stories' }) }),
    'first comment': async () => ({ first_comment: `First under ${text}` }),
  };
  const before = new Set(((await world.control('facebook/posts')) as Json[]).map(({ id }) => id));
  const input = { text, account_ids: [account], ...(await inputs[kind]()) };
  const pages: Json[] = (await seat.rest('GET', `/v1/accounts/${account}/pages`)).body.data;
  const page = pages[0].platform_page_id;

  /** Stories carry no text: they are those of the page that came since. */
  const isOurs = ({ id, page_id, story, message }: Json) =>
    kind.endsWith('story') ? story !== undefined && page_id === page && !before.has(id) : message === text;
  async function seen() {
    const ours = ((await world.control('facebook/posts')) as Json[]).filter(isOurs);
    const parts = [
      {
        now: ours.filter(({ is_published, deleted_at }) => is_published && deleted_at === undefined).length,
        ever: ours.filter(({ versions }) => versions.some(({ record }: Json) => record.is_published)).length,
      },
    ];
    if (kind !== 'first comment') return parts;
    const comments = ((await world.control('facebook/comments')) as Json[]).filter(
      ({ message }) => message === `First under ${text}`,
    );
    const alive = comments.filter(({ deleted_at }) => deleted_at === undefined);
    return [...parts, { now: alive.length, ever: comments.length }];
  }
  return { input, seen };
}

describe.concurrent('a server that dies', () => {
  it.each(ALL)('with a %s at %s, the %dth time, has published once after its restart', (kind, point, nth) =>
    world.use(async (lane) => {
      const { input, seen } = await postOf(kind, lane.own);
      await dieWhilePublishing(lane, [point, nth], input);
      await expectOnce(world, lane, seen);
    }),
  );

  it('before a first comment leaves publishes the post without it, and says so', () =>
    world.use(async (lane) => {
      const { input, seen } = await postOf('first comment', lane.own);
      await dieWhilePublishing(lane, ['publish.step.sent', 3], input);
      const post = await finalPost(lane, 60_000);
      const metadata = { first_comment_status: 'failed', first_comment_error: expect.any(String) };
      expect(post).toMatchObject({ status: 'published', results: [{ metadata }] });
      expect(await seen()).toEqual([
        { now: 1, ever: 1 },
        { now: 0, ever: 0 },
      ]);
    }));

  it('before a photo story leaves says that nobody can tell, and publishes none until somebody has looked', () =>
    world.use(async (lane) => {
      const { input, seen } = await postOf('photo story', lane.own);
      await dieWhilePublishing(lane, ['publish.step.sent', 2], input);
      const { id } = await expectUnknown(world, lane, seen);
      const retry = (body: object) => lane.seat.rest('POST', `/v1/posts/${id}/retry`, body);
      expect(await retry({})).toMatchObject({ status: 409, body: { error: { code: 'post.state_invalid' } } });
      lane.count();
      expect((await retry({ confirm_not_published: true })).status).toBe(200);
      expect(await finalPost(lane)).toMatchObject({ id, status: 'published' });
      expect(await seen()).toEqual([{ now: 1, ever: 1 }]);
    }));
});
