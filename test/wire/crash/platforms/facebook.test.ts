import { describe, expect, it } from 'vitest';
import { facebookSubject } from '#test/platforms/conformance/subjects/facebook.ts';
import { laneOf, postOf, publishesThroughKills } from '../posts.ts';
import { dieWhilePublishing, expectUnknown, finalPost, useCrashWorld } from '../world.ts';

publishesThroughKills(facebookSubject);

const onLane = useCrashWorld(laneOf(facebookSubject));

describe('a server that dies', () => {
  it('before a first comment leaves publishes the post without it, and says so', () =>
    onLane(async (lane) => {
      const { input, seen } = await postOf(facebookSubject, 'first comment', lane.own);
      await dieWhilePublishing(lane, ['publish.step.sent', 3], input);
      const post = await finalPost(lane, 60_000);
      const metadata = { first_comment_status: 'failed', first_comment_error: expect.any(String) };
      expect(post).toMatchObject({ status: 'published', results: [{ metadata }] });
      expect(await seen()).toMatchObject([
        { now: 1, ever: 1 },
        { now: 0, ever: 0 },
      ]);
    }));

  it('before a photo story leaves says that nobody can tell, and publishes none until somebody has looked', () =>
    onLane(async (lane) => {
      const { input, seen } = await postOf(facebookSubject, 'photo story', lane.own);
      await dieWhilePublishing(lane, ['publish.step.sent', 2], input);
      const { id } = await expectUnknown(lane, seen);
      const retry = (body: object) => lane.seat.rest('POST', `/v1/posts/${id}/retry`, body);
      expect(await retry({})).toMatchObject({ status: 409, body: { error: { code: 'post.state_invalid' } } });
      lane.count();
      expect((await retry({ confirm_not_published: true })).status).toBe(200);
      expect(await finalPost(lane)).toMatchObject({ id, status: 'published' });
      expect(await seen()).toEqual([{ now: 1, ever: 1 }]);
    }));
});
