import { describe, it } from 'vitest';
import type { CrashPointName } from '#call/crash-points.ts';
import { png } from '#test/harness/media-samples.ts';
import type { Json } from '#test/harness/processes.ts';
import { threadsSubject } from '#test/platforms/conformance/subjects/threads.ts';
import { laneOf, publishesThroughKills, type Own } from '../posts.ts';
import { dieWhilePublishing, expectOnce, useCrashWorld } from '../world.ts';

publishesThroughKills(threadsSubject);

const onLane = useCrashWorld(laneOf(threadsSubject, 0), laneOf(threadsSubject, 1));

/** A thread of five posts: three steps each, container, publish and name; the last one has two pictures. */
const PARTS = 5;
/**
 * At which of their passings it dies: in the first posts, between posts, and in the last one. A committed step is as good
 * as the next one before it begins, and an answered one has the last of its requests behind it.
 */
const DEATHS: readonly (readonly [CrashPointName, readonly number[]])[] = [
  ['publish.step.sent', [2, 5, 6, 13, 14]],
  ['publish.request.answered', [1, 3, 7, 9, 20]],
  ['publish.step.answered', [4, 14]],
  ['publish.step.committed', [9]],
];
const ALL = DEATHS.flatMap(([point, times]) => times.map((nth) => [point, nth] as const));

let threads = 0;

async function threadOf({ door, account }: Own) {
  threads += 1;
  const texts = Array.from({ length: PARTS }, (_, n) => `Part ${n + 1} of thread ${threads}`);
  const [text, ...rest] = texts;
  const media_ids = [
    await door.upload('one.png', 'image/png', png(3, 2, 2 * threads)),
    await door.upload('two.png', 'image/png', png(3, 2, 2 * threads + 1)),
  ];
  const segments = rest.map((words, n) => ({ text: words, ...(n === rest.length - 1 && { media_ids }) }));
  async function seen() {
    const posts = (await door.control('threads/posts')) as Json[];
    return texts.map((words) => {
      const made = posts.filter((post) => post.text === words);
      return { now: made.filter(({ deleted_at }) => deleted_at === undefined).length, ever: made.length };
    });
  }
  return { input: { text, account_ids: [account], segments }, seen };
}

describe.concurrent('a server that dies', () => {
  it.each(ALL)('within a thread at %s, the %dth time, has published each of its posts once', (point, nth) =>
    onLane(async (lane) => {
      const { input, seen } = await threadOf(lane.own);
      await dieWhilePublishing(lane, [point, nth], input);
      await expectOnce(lane, seen);
    }),
  );
});
