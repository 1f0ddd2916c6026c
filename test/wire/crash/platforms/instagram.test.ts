import { describe, expect, it } from 'vitest';
import type { CrashPointName } from '#call/crash-points.ts';
import type { Json } from '#test/harness/processes.ts';
import type { Subject } from '#test/platforms/conformance/subject.ts';
import { instagramSubjects } from '#test/platforms/conformance/subjects/instagram.ts';
import { laneOf, postOf } from '../posts.ts';
import { dieWhilePublishing, expectOnce, useCrashWorld } from '../world.ts';

const [subject] = instagramSubjects as [Subject];
const onLane = useCrashWorld(laneOf(subject, 0), laneOf(subject, 1));

const KINDS = ['image', 'carousel', 'reel', 'story'] as const;
type Kind = (typeof KINDS)[number];

/** Three steps each: container, publish and name; a carousel makes and awaits its items in the first. */
const STEPS: readonly (readonly [CrashPointName, readonly number[]])[] = [['publish.step.sent', [1, 2, 3]]];
/** What the engine does around the steps is the same for each kind. */
const COMMON: typeof STEPS = [
  ['publish.claimed', [1]],
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
  [...(kind === 'image' ? COMMON : []), ...STEPS, ['publish.request.answered', REQUESTS[kind]] as const].flatMap(
    ([point, times]) => times.map((nth) => [kind, point, nth] as const),
  ),
);

describe.concurrent('a server that dies', () => {
  it.each(ALL)(
    'with a %s at %s, the %dth time, has published once after its restart, and knows it',
    (kind, point, nth) =>
      onLane(async (lane) => {
        const { door, person } = lane.own;
        const list = async (name: string): Promise<readonly Json[]> => door.control(`instagram/${name}`);
        const before = await list('posts');
        const { input, seen } = await postOf(subject, kind, lane.own);
        await dieWhilePublishing(lane, [point, nth], input);
        const id = (await expectOnce(lane, seen)).results[0].platform_post_id;
        expect(before.map((post) => post.id)).not.toContain(id);
        const page_id = (await list('accounts')).find(({ username }) => username === person).id;
        // Stories carry no text.
        const ours = kind === 'story' ? { product: 'STORY', page_id } : { caption: input.text };
        expect((await list('posts')).find((post) => post.id === id)).toMatchObject(ours);
      }),
  );
});
