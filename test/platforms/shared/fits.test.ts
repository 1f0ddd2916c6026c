import { describe, expect, it } from 'vitest';
import { facebook } from '#platforms/facebook/index.ts';
import { instagram } from '#platforms/instagram/index.ts';
import { fitting } from '#platforms/shared/fits.ts';
import { threads } from '#platforms/threads/index.ts';
import type { OutgoingPost } from '#platforms/posts.ts';
import { postOf } from '../../harness/platforms/steps.ts';

const image = { ref: 'i', kind: 'image' } as const;
const video = { ref: 'v', kind: 'video' } as const;
const post = (more: Partial<OutgoingPost>) => postOf({ text: 'Rye', ...more });
const eleven = Array.from({ length: 11 }, () => image);

describe('a post that was not validated', () => {
  it.each([
    [instagram, {}, /without media/],
    [instagram, { media: eleven }, /up to 10 images and videos/],
    [instagram, { media: [image], segments: [{ text: 'Then', media: [] }] }, /no threads/],
    [facebook, { text: ' ' }, /needs text or media/],
    [facebook, { media: [image, video] }, /10 images or one video/],
    [threads, { segments: [{ text: '', media: [] }] }, /needs text or media/],
    [threads, { options: { topic_tag: 'a.b' } }, /topic_tag/],
  ] as const)('is refused by what its platform takes %#', ({ title, posts }, more, message) => {
    const assertFits = fitting({ title, rules: posts!.rules, check: posts!.check! });
    expect(() => assertFits(post(more))).toThrow(message);
    expect(() => assertFits(post({ media: [{ ...image, width: 100, height: 100 }] }))).not.toThrow();
  });
});
