import { describe, expect, it } from 'vitest';
import { jpeg } from '../../harness/media-samples.ts';
import { finalPost, openStage, setUp } from '../conformance/stage.ts';
import type { Subject } from '../conformance/subject.ts';
import { facebookSubject } from '../conformance/subjects/facebook.ts';
import { instagramSubjects } from '../conformance/subjects/instagram.ts';
import { threadsSubject } from '../conformance/subjects/threads.ts';

/** Publishes a photo on a platform whose posts lack some metrics, and reads the others. */
async function readMetrics(subject: Subject, metrics_lacking: string) {
  const { slug } = subject.platform;
  const stage = await openStage(subject);
  const { account, rest } = await setUp(stage, subject);
  await stage.control(`${slug}/settings`, { metrics_lacking });
  const media_ids = [await stage.upload('photo.jpg', 'image/jpeg', jpeg(1080, 1080))];
  const { body: made } = await rest('POST /v1/posts', {
    text: 'Rye',
    media_ids,
    account_ids: [account],
    publish_now: true,
  });
  expect((await finalPost(stage, made.id)).status).toBe('published');
  return (await rest(`GET /v1/posts/${made.id}/metrics`)).body;
}

async function measure(subject: Subject, metrics_lacking: string) {
  const { data } = await readMetrics(subject, metrics_lacking);
  return Object.keys(data.targets[0].metrics.extra ?? {}).toSorted();
}

describe('a metric that posts of a platform lack', () => {
  it.each([
    ['Instagram names it', instagramSubjects[0]!, 'follows,profile_visits', ['interactions', 'reach', 'views']],
    ['Facebook does not name it', facebookSubject, 'post_clicks', ['reach', 'views']],
    ['Threads does not name it', threadsSubject, 'shares', ['quotes', 'reposts', 'views']],
  ] as const)('takes no other with it: %s', async (_, subject, lacking, left) => {
    expect(await measure(subject, lacking)).toEqual(left);
  });

  it('is no zero where a post lacks all of them', async () => {
    const { error } = await readMetrics(threadsSubject, 'views,likes,replies,reposts,quotes,shares');
    expect(error.code).toBe('platform.threads.invalid_request');
  });
});
