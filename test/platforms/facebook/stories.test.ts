import { expect, it } from 'vitest';
import { openStage, setUp } from '../conformance/stage.ts';
import { facebookSubject } from '../conformance/subjects/facebook.ts';

it('a story that is still being published is said to remain when its post is deleted', async () => {
  const stage = await openStage(facebookSubject);
  const { account, rest } = await setUp(stage, facebookSubject);
  await stage.control('facebook/settings', { video_processing_ms: 3_600_000 });
  const text = stage.text('video story');
  const story = await facebookSubject.posts['video story']!.input(stage, text, [account]);
  const { body: made } = await rest('POST /v1/posts', { text, account_ids: [account], publish_now: true, ...story });
  expect(made.status).toBe('publishing');
  const { body } = await rest(`DELETE /v1/posts/${made.id}`);
  expect(body.results).toMatchObject([{ outcome: 'not_supported', message: expect.stringContaining('a story') }]);
  expect(body.remaining).toMatchObject([{ platform: 'facebook', account_id: account }]);
});
