import { MINUTE } from '#kernel/clock.ts';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../harness/world.ts';
import { finalPost, openStage, setUp } from '../conformance/stage.ts';
import { instagramSubjects } from '../conformance/subjects/instagram.ts';
import { threadsSubject } from '../conformance/subjects/threads.ts';

/** What each platform says of a finished container that it does not find. */
const SAID = {
  threads: { platform_code: 24, platform_subcode: 4_279_009 },
  instagram: { platform_code: 24, platform_subcode: 2_207_008 },
} as const;

/** What each platform says of a picture that it could not fetch. */
const UNFETCHED = {
  threads: { platform_code: 1, platform_subcode: 2_207_052 },
  instagram: { platform_code: 9004, platform_subcode: 2_207_052 },
} as const;

/** The kinds with a picture that the platform fetches. */
const PICTURED: ReadonlySet<string> = new Set(['image', 'carousel', 'story']);

/** Containers that fail for good. */
const FAILURES = { threads: 'FAILED_PROCESSING_VIDEO', instagram: '2207026' } as const;

const SUBJECTS = { threads: threadsSubject, instagram: instagramSubjects[0]! } as const;

/** The kinds of post for which containers are made differently. */
const KINDS = (['threads', 'instagram'] as const).flatMap((slug) =>
  Object.keys(SUBJECTS[slug].posts).flatMap((kind) => (kind === 'first comment' ? [] : [{ slug, kind }])),
);

describe.each(KINDS)('a container of $slug, $kind', ({ slug, kind }) => {
  const subject = SUBJECTS[slug];

  /** Publishes with a switch of the simulator on; the post, what is seen of it, and after how long. */
  async function publishWith(settings: object) {
    const stage = await openStage(subject);
    const { account } = await subject.connect(stage, 0);
    await stage.hear();
    await stage.control(`${slug}/settings`, settings);
    const { world, rest } = stage;
    const one = subject.posts[kind]!;
    const text = stage.text(kind);
    const began = world.clock.now();
    const scheduled_at = new Date(began + 1000).toISOString();
    const input = { text, account_ids: [account], scheduled_at, ...(await one.input(stage, text, [account])) };
    const { body: made } = await rest('POST /v1/posts', input);
    await world.pass(1000);
    for (let waits = 0; waits < 60; waits += 1) await world.pass(2000);
    const post = await finalPost(stage, made.id);
    const seen = async () => (await one.seen(stage, text)).map(({ ever }) => ever);
    return { stage, post, seen, took: Date.parse(post.updated_at) - began };
  }

  /** Has a failed post published by a retry, once the simulator is as usual. */
  async function retry({ stage, post, seen }: Awaited<ReturnType<typeof publishWith>>) {
    expect(post.status).toBe('failed');
    expect(new Set(await seen())).toEqual(new Set([0]));
    await stage.control(`${slug}/settings`, { containers_lost: 0, fetches_failing: 0, container_failure: 'none' });
    await stage.rest(`POST /v1/posts/${post.id}/retry`);
    const { status, results } = await finalPost(stage, post.id);
    expect([status, results[0].error]).toEqual(['published', null]);
    expect(new Set(await seen())).toEqual(new Set([1]));
  }

  it('is made anew within seconds where it is finished and refused as missing, and published once', async () => {
    const { post, seen, took } = await publishWith({ containers_lost: 2 });
    expect([post.status, post.results[0].error]).toEqual(['published', null]);
    expect(new Set(await seen())).toEqual(new Set([1]));
    expect(took).toBeLessThan(MINUTE);
  });

  it('fails the post with what the platform says after a few of them, and a retry makes others', async () => {
    const failed = await publishWith({ containers_lost: 100 });
    expect(failed.post.results[0].error).toMatchObject({
      code: `platform.${slug}.api_error`,
      message: expect.stringContaining('does not find the post that it has prepared'),
      platform_status: 400,
      ...SAID[slug],
      platform_message: expect.any(String),
    });
    expect(failed.took).toBeLessThan(2 * MINUTE);
    await retry(failed);
  });

  it.runIf(PICTURED.has(kind))(
    'is asked for again where its picture could not be fetched, and for the last time within a minute',
    async () => {
      const { post, seen } = await publishWith({ fetches_failing: 2 });
      expect([post.status, post.results[0].error]).toEqual(['published', null]);
      expect(new Set(await seen())).toEqual(new Set([1]));
      const failed = await publishWith({ fetches_failing: 100 });
      const code = `platform.${slug}.invalid_request`;
      expect(failed.post.results[0].error).toMatchObject({ code, ...UNFETCHED[slug] });
      expect(failed.took).toBeLessThan(MINUTE);
      await retry(failed);
    },
  );

  it('fails the post where it fails for good, and a retry makes another', async () => {
    const failed = await publishWith({ container_failure: FAILURES[slug] });
    expect(failed.post.results[0].error).toMatchObject({
      code: `platform.${slug}.invalid_request`,
      platform_message: expect.stringContaining(FAILURES[slug]),
    });
    await retry(failed);
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
