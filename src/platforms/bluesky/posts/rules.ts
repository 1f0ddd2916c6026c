import * as z from 'zod';
import { platformOptions } from '../../shared/options.ts';
import type { PostRules } from '../../posts.ts';

/** The text limit of every post, including comments and replies to mentions. */
export const TEXT = Object.freeze({ max: 300, counting: 'graphemes', max_bytes: 3000 } as const);

/** Limits of the post lexicon; videos up to 100 MB, which all servers accept. Old ones refuse images over 1 MB. */
export const rules = Object.freeze<PostRules>({
  text: { max_length: TEXT.max, counting_mode: TEXT.counting, max_bytes: TEXT.max_bytes },
  media: {
    max_image_size_bytes: 2_000_000,
    max_video_size_bytes: 100_000_000,
    max_video_duration_sec: 180,
    supported_image_types: ['image/jpeg', 'image/png', 'image/webp'],
    supported_video_types: ['video/mp4'],
    sources: ['media_id', 'url'],
  },
  carousel: { supported: true, min_items: 2, max_items: 4, allow_video: false, images_only: true },
  text_only: true,
  threads: { supported: true, max_segments: 25 },
  first_comment: TEXT,
  visibilities: ['public'],
});

const MOST_ALT = 2000;

const Options = z.object({
  langs: z
    .array(z.string().regex(/^[a-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,5}$/i, 'must be language tags, such as en or pt-BR'))
    .max(3, 'takes at most 3 languages')
    .optional(),
  labels: z
    .array(z.enum(['porn', 'sexual', 'nudity', 'graphic-media']))
    .max(4)
    .optional(),
  alts: z
    .array(z.string().max(MOST_ALT, `takes at most ${MOST_ALT} characters each`).nullable())
    .max(100)
    .optional()
    .describe('Alt texts of the media of the whole thread, in order.'),
  link_card: z.boolean().optional(),
});

export type Options = z.output<typeof Options>;

const { optionsOf, checking } = platformOptions('bluesky', Options);
export { optionsOf };

/** Checks what rules as data cannot express: options, several videos, an empty first post of a thread. */
export const check = checking((post, { add }) => {
  if (post.segments.length > 0 && post.text.trim() === '' && post.media.length === 0) add('text', 'is empty');
  for (const [index, { media }] of [post, ...post.segments].entries())
    if (media.filter(({ kind }) => kind === 'video').length > 1) add('media', 'takes one video only', index);
});
