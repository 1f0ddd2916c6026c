import { expect, it } from 'vitest';
import { platforms } from '#platforms/index.ts';
import { kindsOf } from '#platforms/lookup.ts';
import type { OutgoingPost } from '#platforms/posts.ts';

const CASES = [...platforms.values()].flatMap(kindsOf).filter(([, { posts }]) => posts !== undefined);

it.each(CASES)('%s says which post is the least visible, and stops at a step that there is', (_, platform) => {
  const { seenBy, media, stopsBefore, without = {}, leaves } = platform.verification!;
  expect(seenBy).not.toBe('');
  const { rules, publish, remove } = platform.posts!;
  if (media === 'video') expect(rules.media.supported_video_types).toContain('video/mp4');
  if (media === 'image') expect(rules.media.supported_image_types).toContain('image/jpeg');
  expect(rules.text_only || media !== undefined).toBe(true);
  const file = media === undefined ? [] : [{ ref: 'med_1', kind: media }];
  const post: OutgoingPost = { text: 'x', media: file, segments: [], visibility: 'public', options: {} };
  const steps = publish.steps(post).map(({ name }) => name);
  if (stopsBefore !== undefined) expect(steps.indexOf(stopsBefore)).toBeGreaterThan(0);
  // What cannot be removed is said beforehand.
  if (remove === undefined && stopsBefore === undefined) expect([without.remove, leaves]).not.toContain(undefined);
});
