import { describe, expect, it } from 'vitest';
import type { Json } from '../../harness/world.ts';
import { jpeg } from '../../harness/media-samples.ts';
import { finalPost, openStage, setUp } from '../conformance/stage.ts';
import { instagramSubjects } from '../conformance/subjects/instagram.ts';
import { threadsSubject } from '../conformance/subjects/threads.ts';

const MINUTE = 60_000;

describe.each([
  { subject: threadsSubject, lost: 4_279_009, unfetched: [1, 2_207_052] },
  { subject: instagramSubjects[0]!, lost: 2_207_008, unfetched: [9004, 2_207_052] },
])('$subject.platform.title', ({ subject, lost, unfetched }) => {
  const { slug } = subject.platform;

  /** Publishes a photo on a twin set so; the post, how often it is on the platform, and after how long. */
  async function publishWhile(settings: Json) {
    const stage = await openStage(subject);
    const { account } = await setUp(stage, subject);
    await stage.control(`${slug}/settings`, settings);
    const { world, rest } = stage;
    const began = world.clock.now();
    const scheduled_at = new Date(began + 1000).toISOString();
    const media_ids = [await stage.upload('photo.jpg', 'image/jpeg', jpeg(1080, 1080))];
    const input = { text: 'Rye', media_ids, account_ids: [account], scheduled_at };
    const { body: made } = await rest('POST /v1/posts', input);
    await world.pass(1000);
    for (let waits = 0; waits < 60; waits += 1) await world.pass(2000);
    const post = await finalPost(stage, made.id);
    const shown = ((await stage.control(`${slug}/posts`)) as readonly Json[]).filter((one) =>
      JSON.stringify(one).includes('Rye'),
    );
    return { post, times: shown.length, took: Date.parse(post.updated_at) - began };
  }

  it('has a finished container that is refused as missing made anew within seconds, and published once', async () => {
    const { post, times, took } = await publishWhile({ containers_lost: 2 });
    expect([post.status, times]).toEqual(['published', 1]);
    expect(took).toBeLessThan(MINUTE);
  });

  it('fails the post with what the platform says after a few that are missing', async () => {
    const { post, times, took } = await publishWhile({ containers_lost: 100 });
    expect([post.status, times]).toEqual(['failed', 0]);
    expect(post.results[0].error).toMatchObject({
      code: `platform.${slug}.api_error`,
      message: expect.stringContaining('does not find the post that it has prepared'),
      platform_status: 400,
      platform_code: 24,
      platform_subcode: lost,
      platform_message: expect.any(String),
    });
    expect(took).toBeLessThan(2 * MINUTE);
  });

  it('is asked again for a picture that it could not fetch, and for the last time within a minute', async () => {
    const { post, times } = await publishWhile({ fetches_failing: 2 });
    expect([post.status, times]).toEqual(['published', 1]);
    const other = await publishWhile({ fetches_failing: 100 });
    expect([other.post.status, other.times]).toEqual(['failed', 0]);
    const [platform_code, platform_subcode] = unfetched;
    const code = `platform.${slug}.invalid_request`;
    expect(other.post.results[0].error).toMatchObject({ code, platform_code, platform_subcode });
    expect(other.took).toBeLessThan(MINUTE);
  });
});

describe('a reply on Threads whose container is refused as missing', () => {
  async function replyLosing(containers_lost: number) {
    const stage = await openStage(threadsSubject);
    const scene = await setUp(stage, threadsSubject);
    await stage.control('threads/settings', { containers_lost });
    const { status, body } = await scene.rest(`POST /v1/inbox/comments/${scene.post}`, {
      text: 'Until six.',
      comment_id: scene.comment,
    });
    const shown = ((await stage.control('threads/posts')) as readonly Json[]).filter(
      ({ text }) => text === 'Until six.',
    );
    return { status, body, times: shown.length };
  }

  it('is made anew, and sent once', async () => {
    expect(await replyLosing(2)).toMatchObject({ status: 200, times: 1 });
  });

  it('is refused with what Threads says after a few', async () => {
    const { status, body, times } = await replyLosing(100);
    expect([status, body.error.code, times]).toEqual([502, 'platform.threads.api_error', 0]);
    expect(body.error.meta).toMatchObject({ platform_status: 400, platform_code: 24, platform_subcode: 4_279_009 });
  });
});
