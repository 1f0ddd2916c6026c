import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CrashPointName } from '#call/crash-points.ts';
import type { Processes, Seat } from '../../harness/processes.ts';
import { doorOf } from '../../platforms/conformance/process.ts';
import { expectOnce } from '../../platforms/conformance/checks/publishing.ts';
import type { Door, Subject } from '../../platforms/conformance/subject.ts';
import { expectOneRecord, finalPost, openCrashWorld, publishAndDie, type Lane } from './world.ts';

/**
 * Where a server dies while it publishes, and at how many of its passings. An answered step has the last of its requests
 * behind it, and a committed one is as good as the next one before it begins, so of these the first will do. Long threads
 * repeat themselves.
 */
const POINTS: readonly (readonly [point: CrashPointName, most: number])[] = [
  ['publish.claimed', 1],
  ['publish.step.sent', 8],
  ['publish.request.answered', 8],
  ['publish.step.kept', 8],
  ['publish.step.answered', 1],
  ['publish.step.committed', 2],
  ['publish.concluded', 1],
];
const LANES = 2;
/** For all kinds together, as each waits for its server to be free. */
const TIMEOUT_MS = 400_000;
/** What a platform works on, and what nobody can tell, is asked for again after minutes. */
const HURRY_MS = 60_000;

/** An account of a platform with its person, and the way in to its server. */
export type Own = Readonly<{ door: Door; account: string; person: string }>;

/** Connects the nth person of a subject. */
export const laneOf = (subject: Subject, nth = 0) =>
  async function prepare(processes: Processes, seat: Seat): Promise<Own> {
    const door = doorOf(processes, seat);
    return { door, ...(await subject.connect(door, nth)) };
  };

let texts = 0;

/** A post of a kind whose text nobody used before, and what is seen of it. */
export async function postOf({ posts }: Subject, kind: string, { door, account }: Own) {
  const { input, seen } = posts[kind]!;
  const text = `Crash of a ${kind} ${(texts += 1)}`;
  return {
    input: { text, account_ids: [account], ...(await input(door, text, [account])) },
    seen: () => seen(door, text),
  };
}

/** Publishes one post of a kind and holds it to "once"; whether the server died at the nth passing of the point. */
async function publishThrough(
  lane: Lane & { own: Own },
  subject: Subject,
  kind: string,
  [point, nth]: readonly [CrashPointName, number],
): Promise<boolean> {
  const { input, seen } = await postOf(subject, kind, lane.own);
  const isDead = await publishAndDie(lane, [point, nth], input);
  const post = await finalPost(lane, HURRY_MS);
  expectOnce([kind, point, nth, post.results[0]?.error], post, await seen(), subject.posts[kind]!);
  await expectOneRecord(lane, post);
  return isDead;
}

/** Publishes each kind of post of a platform while the server is killed at every point of its way. */
export function publishesThroughKills(subject: Subject): void {
  describe.concurrent(`a server that dies while it publishes on ${subject.platform.slug}`, () => {
    // Each server has simulators of its own, with its clock: some posts are known only as those that came since.
    let worlds: readonly Awaited<ReturnType<typeof openCrashWorld<Own>>>[] = [];
    beforeAll(async () => {
      worlds = await Promise.all(
        Array.from({ length: LANES }, () => openCrashWorld([laneOf(subject)], { oneClock: true })),
      );
    });
    afterAll(() => Promise.all(worlds.map((world) => world.close())));

    it.each(Object.keys(subject.posts).map((kind, index) => [kind, index] as const))(
      'publishes a %s once',
      { timeout: TIMEOUT_MS },
      (kind, index) =>
        worlds[index % LANES]!.use(async (lane) => {
          let deaths = 0;
          for (const [point, most] of POINTS)
            for (let nth = 1; nth <= most && (await publishThrough(lane, subject, kind, [point, nth])); nth += 1)
              deaths += 1;
          // Not every kind keeps progress within a step.
          expect(deaths).toBeGreaterThanOrEqual(POINTS.length - 1);
        }),
    );
  });
}
