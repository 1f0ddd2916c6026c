import { describe, expect, it } from 'vitest';
import type { Json } from '../harness/world.ts';
import { picture } from './conformance/files.ts';
import { finalPost, openStage, setUp } from './conformance/stage.ts';
import { threadsSubject } from './conformance/subjects/threads.ts';

const MINUTE = 60_000;

describe.each([threadsSubject])('a finished container that is refused as missing', (subject) => {
  const { slug } = subject.platform;

  /** Publishes while so many containers get lost; the post, how often it is on the platform, and after how long. */
  async function publishLosing(containers_lost: number) {
    const stage = await openStage(subject);
    const { account } = await setUp(stage, subject);
    await stage.control(`${slug}/settings`, { containers_lost });
    const { world, rest } = stage;
    const began = world.clock.now();
    const scheduled_at = new Date(began + 1000).toISOString();
    const input = { text: 'Rye', media_ids: [await picture(stage)], account_ids: [account], scheduled_at };
    const { body: made } = await rest('POST /v1/posts', input);
    await world.pass(1000);
    for (let waits = 0; waits < 60; waits += 1) await world.pass(2000);
    const post = await finalPost(stage, made.id);
    const shown = ((await stage.control(`${slug}/posts`)) as readonly Json[]).filter((one) =>
      JSON.stringify(one).includes('Rye'),
    );
    return { post, times: shown.length, took: Date.parse(post.updated_at) - began };
  }

  it('is made anew within seconds, and published once', async () => {
    const { post, times, took } = await publishLosing(2);
    expect([post.status, times]).toEqual(['published', 1]);
    expect(took).toBeLessThan(MINUTE);
  });

  it('fails the post with what the platform says after a few', async () => {
    const { post, times, took } = await publishLosing(100);
    expect([post.status, times]).toEqual(['failed', 0]);
    expect(post.results[0].error).toMatchObject({
      code: `platform.${slug}.api_error`,
      message: expect.stringContaining('does not find the post that it has prepared'),
      platform_status: 400,
      platform_code: 24,
      platform_subcode: 4_279_009,
      platform_message: expect.any(String),
    });
    expect(took).toBeLessThan(2 * MINUTE);
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
