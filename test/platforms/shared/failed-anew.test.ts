import { expect, it } from 'vitest';
import { finalPost, openStage, setUp } from '../conformance/stage.ts';
import { facebookSubject } from '../conformance/subjects/facebook.ts';
import { googleSubject } from '../conformance/subjects/google.ts';
import { linkedinSubject } from '../conformance/subjects/linkedin.ts';
import { pinterestSubject } from '../conformance/subjects/pinterest.ts';
import { tiktokSubjects } from '../conformance/subjects/tiktok.ts';
import { twitterSubject } from '../conformance/subjects/twitter.ts';
import { youtubeSubject } from '../conformance/subjects/youtube.ts';
import { zaloSubject } from '../conformance/subjects/zalo.ts';

const [tiktok, business] = [tiktokSubjects[0]!, tiktokSubjects[1]!];

/** Switches of simulators that take a post and fail it later; `begins`: the request with which a post begins there. */
const FAILING = [
  { subject: tiktok, kind: 'video', fail: { publish_failure: ['internal', 'none'] }, begins: /\/video\/init/ },
  { subject: tiktok, kind: 'photos', fail: { publish_failure: ['internal', 'none'] }, begins: /\/content\/init/ },
  { subject: business, kind: 'video', fail: { publish_failure: ['internal', 'none'] }, begins: /\/video\/publish/ },
  {
    subject: youtubeSubject,
    kind: 'video',
    fail: { processing_ends: ['failed:codec', 'processed'] },
    begins: /uploadType=resumable/,
  },
  { subject: facebookSubject, kind: 'video', fail: { video_fails: ['true', 'false'] }, begins: /\/videos/ },
  { subject: facebookSubject, kind: 'reel', fail: { video_fails: ['true', 'false'] }, begins: /\/video_reels/ },
  {
    subject: facebookSubject,
    kind: 'video story',
    fail: { video_fails: ['true', 'false'] },
    begins: /\/video_stories/,
  },
  { subject: pinterestSubject, kind: 'video', fail: { media_fails: ['true', 'false'] }, begins: /\/media$/ },
  {
    subject: linkedinSubject,
    kind: 'video',
    fail: { processing_fails: ['true', 'false'] },
    begins: /initializeUpload/,
  },
  { subject: twitterSubject, kind: 'video', fail: { processing_fails: ['true', 'false'] }, begins: /\/initialize/ },
  {
    subject: googleSubject,
    kind: 'standard post',
    fail: { post_verdict: ['REJECTED', 'LIVE'] },
    begins: /localPosts$/,
  },
  { subject: zaloSubject, kind: 'video', fail: { video_status: ['4', '1'] }, begins: /preparevideo/ },
] as const;

it.each(FAILING)('$subject.platform.slug, $kind: a retry of a post that failed later begins anew', async (one) => {
  const { subject, kind, fail, begins } = one;
  const stage = await openStage(subject);
  const { account } = await setUp(stage, subject);
  const turn = (at: 0 | 1) =>
    stage.control(
      `${subject.platform.slug}/settings`,
      Object.fromEntries(Object.entries(fail).map(([name, values]) => [name, values[at]])),
    );
  await turn(0);
  const post = subject.posts[kind]!;
  const text = stage.text(kind);
  const input = { text, account_ids: [account], publish_now: true, ...(await post.input(stage, text, [account])) };
  const { body } = await stage.rest('POST /v1/posts', input);
  const { id, results } = await finalPost(stage, body.id);
  expect(results).toMatchObject([{ status: 'failed', error: { code: expect.stringMatching(/^platform\./) } }]);
  await turn(1);
  stage.gate.arm();
  await stage.rest(`POST /v1/posts/${id}/retry`);
  expect((await finalPost(stage, id)).results).toMatchObject([{ status: 'published', error: null }]);
  expect(stage.gate.calls().filter((call) => begins.test(call))).not.toEqual([]);
});
