import { expect, it } from 'vitest';
import { finalPost, openStage, setUp } from '../conformance/stage.ts';
import type { Subject } from '../conformance/subject.ts';
import { tiktokSubjects } from '../conformance/subjects/tiktok.ts';
import { twitterSubject } from '../conformance/subjects/twitter.ts';
import { youtubeSubject } from '../conformance/subjects/youtube.ts';
import { zaloSubject } from '../conformance/subjects/zalo.ts';

/** What platforms say later of what they had accepted: a switch of their simulators, and what the post shows of it. */
const LATER: readonly Readonly<{ subject: Subject; kind: string; settings: object; shows: object }>[] = [
  {
    subject: tiktokSubjects[0]!,
    kind: 'video',
    settings: { publish_failure: 'frame_rate_check_failed' },
    shows: { code: 'platform.tiktok.invalid_request', platform_code: 'frame_rate_check_failed' },
  },
  {
    subject: tiktokSubjects[0]!,
    kind: 'video',
    settings: { publish_failure: 'something_new' },
    shows: { code: 'platform.tiktok.api_error', platform_code: 'something_new' },
  },
  {
    subject: youtubeSubject,
    kind: 'video',
    settings: { processing_ends: 'rejected:copyright' },
    shows: { code: 'platform.youtube.blocked', platform_code: 'copyright' },
  },
  {
    subject: zaloSubject,
    kind: 'video',
    settings: { video_status: 4 },
    shows: { code: 'platform.zalo.invalid_request', platform_code: -1 },
  },
  {
    subject: twitterSubject,
    kind: 'video',
    settings: { processing_fails: 'true' },
    shows: {
      code: 'platform.twitter.invalid_request',
      platform_code: 'InvalidMedia',
      platform_message: 'Unsupported file',
    },
  },
];

it.each(LATER)('$shows.code, $settings: a post that fails later shows what the platform says', async (later) => {
  const { subject, kind, settings, shows } = later;
  const stage = await openStage(subject);
  const { account } = await setUp(stage, subject);
  await stage.control(`${subject.platform.slug}/settings`, settings);
  const one = subject.posts[kind]!;
  const text = stage.text(kind);
  const input = { text, account_ids: [account], publish_now: true, ...(await one.input(stage, text, [account])) };
  const { body } = await stage.rest('POST /v1/posts', input);
  const { results } = await finalPost(stage, body.id);
  expect(results).toMatchObject([{ status: 'failed', error: shows }]);
  // No request was answered so.
  expect(results[0].error).not.toHaveProperty('platform_status');
  const { body: logs } = await stage.rest('GET /v1/posts/logs');
  const { code: _, ...said } = shows as Record<string, unknown>;
  expect(logs.data).toContainEqual(expect.objectContaining(said));
});

it.each([
  {
    subject: zaloSubject,
    settings: { video_ms: 999_999_999 },
    says: {
      code: 'publishing.delivery.interrupted',
      message: expect.stringMatching(/converting .* Nothing is public/),
    },
  },
  {
    subject: youtubeSubject,
    settings: { processing_ms: 999_999_999 },
    says: {
      code: 'publishing.delivery.timeout',
      message: expect.stringMatching(/processing the video \(http\S+watch\?v=\w[\w-]+\)\..* It may be public/),
    },
  },
])('$subject.platform.slug: what is not finished in time is said to be there, and a retry asks again', async (late) => {
  const { subject, settings, says } = late;
  const { slug } = subject.platform;
  const stage = await openStage(subject);
  const { account } = await setUp(stage, subject);
  await stage.control(`${slug}/settings`, settings);
  const one = subject.posts['video']!;
  const text = stage.text('late');
  const scheduled_at = new Date(stage.world.clock.now() + 1000).toISOString();
  const input = { text, account_ids: [account], scheduled_at, ...(await one.input(stage, text, [account])) };
  const { body: post } = await stage.rest('POST /v1/posts', input);
  await stage.world.pass(1000);
  stage.world.clock.move(60 * 60_000);
  const { results } = await finalPost(stage, post.id);
  expect(results).toMatchObject([{ status: 'failed', error: says }]);
  expect(results[0].error.message).toMatch(/Call retry_post: it looks again/);
  expect(results[0].error.message).not.toMatch(/Nothing was sent/);
  stage.world.clock.move(999_999_999);
  await stage.rest(`POST /v1/posts/${post.id}/retry`);
  expect((await finalPost(stage, post.id)).status).toBe('published');
  expect((await one.seen(stage, text)).map(({ ever }) => ever)).toEqual([1]);
});
