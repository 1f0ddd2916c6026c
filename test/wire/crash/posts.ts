import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CrashPointName } from '#call/crash-points.ts';
import type { Processes, Seat } from '../../harness/processes.ts';
import { doorOf } from '../../platforms/conformance/process.ts';
import { expectOnce } from '../../platforms/conformance/checks/publishing.ts';
import type { Door, Subject } from '../../platforms/conformance/subject.ts';
import { expectOneRecord, finalPost, openCrashWorld, publishAndDie, type Lane } from './world.ts';

/** Where a server dies while it publishes, and at how many of its passings at most: long threads repeat themselves. */
type Points = readonly (readonly [point: CrashPointName, most: number])[];
/**
 * Between these, what the platform was asked, or what the store knows of it, is another for each kind. A committed step
 * is as good as the next one before it begins, and an answered one has the last of its requests behind it.
 */
const OWN: Points = [
  ['publish.step.sent', 8],
  ['publish.request.answered', 8],
  ['publish.step.kept', 8],
];
/** The conformance test holds the requests of a kind within another to those of that one: what is left is to find it. */
const WITHIN: Points = [['publish.request.answered', 8]];
/** What the engine does around the steps, which is the same for each kind: the first one dies there. */
const COMMON: Points = [
  ['publish.claimed', 1],
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

    const kinds = Object.keys(subject.posts);
    const isWithin = (kind: string) => subject.posts[kind]!.within !== undefined;
    // Those that take long are dealt first, so that the servers come to their ends together.
    const dealt = kinds.toSorted((one, other) => Number(isWithin(one)) - Number(isWithin(other)));
    it.each(dealt.map((kind, index) => [kind, index] as const))(
      'publishes a %s once',
      { timeout: TIMEOUT_MS },
      (kind, index) =>
        worlds[index % LANES]!.use(async (lane) => {
          const points = [...(kind === kinds[0] ? COMMON : []), ...(isWithin(kind) ? WITHIN : OWN)];
          const never = new Set(points.map(([point]) => point));
          for (const [point, most] of points)
            for (let nth = 1; nth <= most && (await publishThrough(lane, subject, kind, [point, nth])); nth += 1)
              never.delete(point);
          // Not every kind keeps progress within a step.
          never.delete('publish.step.kept');
          expect([...never]).toEqual([]);
        }),
    );
  });
}
