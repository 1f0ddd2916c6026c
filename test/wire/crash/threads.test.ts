import { afterAll, beforeAll, describe, it } from 'vitest';
import type { CrashPointName } from '../../../src/call/crash-points.ts';
import { png } from '../../harness/media-samples.ts';
import { connectByConsent, upload, type Json, type Processes, type Seat } from '../../harness/processes.ts';
import { threadsSubject } from '../../platforms/conformance/subjects/threads.ts';
import { publishesThroughKills } from './posts.ts';
import { dieWhilePublishing, expectOnce, openCrashWorld } from './world.ts';

publishesThroughKills(threadsSubject);

type Own = Readonly<{ seat: Seat; account: string }>;

const laneOf = (person: string) =>
  async function prepare(world: Processes, seat: Seat): Promise<Own> {
    return { seat, account: await connectByConsent(world, seat, 'threads', { person }) };
  };

let world: Awaited<ReturnType<typeof openCrashWorld<Own>>>;
beforeAll(async () => {
  world = await openCrashWorld([laneOf('olivia.sandbox.test'), laneOf('sam.sandbox.test')]);
});
afterAll(() => world?.close());

/** A thread of five posts: three steps each, container, publish and name; the last one has two pictures. */
const PARTS = 5;
/** At which of their passings it dies: in the first posts, between posts, and in the last one. */
const DEATHS: readonly (readonly [CrashPointName, readonly number[]])[] = [
  ['publish.claimed', [1]],
  ['publish.step.sent', [2, 5, 6, 13, 14]],
  ['publish.request.answered', [1, 3, 7, 9, 20]],
  ['publish.step.answered', [2, 4, 8, 14]],
  ['publish.step.committed', [3, 6, 9, 12]],
  ['publish.concluded', [1]],
];
const ALL = DEATHS.flatMap(([point, times]) => times.map((nth) => [point, nth] as const));

let threads = 0;

async function threadOf({ seat, account }: Own) {
  threads += 1;
  const texts = Array.from({ length: PARTS }, (_, n) => `Part ${n + 1} of thread ${threads}`);
  const [text, ...rest] = texts;
  const media_ids = [
    await upload(seat, 'one.png', 'image/png', png(3, 2, 2 * threads)),
    await upload(seat, 'two.png', 'image/png', png(3, 2, 2 * threads + 1)),
  ];
  const segments = rest.map((words, n) => ({ text: words, ...(n === rest.length - 1 && { media_ids }) }));
  async function seen() {
    const posts = (await world.control('threads/posts')) as Json[];
    return texts.map((words) => {
      const made = posts.filter((post) => post.text === words);
      return { now: made.filter(({ deleted_at }) => deleted_at === undefined).length, ever: made.length };
    });
  }
  return { input: { text, account_ids: [account], segments }, seen };
}

describe.concurrent('a server that dies', () => {
  it.each(ALL)('within a thread at %s, the %dth time, has published each of its posts once', (point, nth) =>
    world.use(async (lane) => {
      const { input, seen } = await threadOf(lane.own);
      await dieWhilePublishing(world, lane, [point, nth], input);
      await expectOnce(world, lane, seen);
    }),
  );
});
