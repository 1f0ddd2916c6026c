import * as z from 'zod';
import type { MediaRef } from '../media.ts';
import type { OutgoingPost, PostRules } from '../posts.ts';
import { fitting } from '../shared/fits.ts';
import { imageIn, optionImage, platformOptions } from '../shared/options.ts';

const LONGEST_TITLE = 100;
const LONGEST_DESCRIPTION = 5000;
const LONGEST_TAGS = 500;
const MB = 1024 * 1024;

export const COMMENT = Object.freeze({ max: 10_000, counting: 'chars' });

export const THUMBNAIL = Object.freeze({ types: ['image/jpeg', 'image/png'], max: 50 * MB });

/** The rules of a video, whose text becomes the description. */
export const rules: PostRules = {
  text: { max_length: LONGEST_DESCRIPTION, counting_mode: 'bytes', max_bytes: LONGEST_DESCRIPTION },
  title: { max: LONGEST_TITLE, counting: 'chars', required: true },
  media: {
    max_image_size_bytes: THUMBNAIL.max,
    max_video_size_bytes: 256 * 1024 * MB,
    max_video_duration_sec: 12 * 3600,
    supported_image_types: [],
    attached_image_types: THUMBNAIL.types,
    supported_video_types: ['video/mp4', 'video/quicktime', 'video/webm', 'video/x-matroska', 'video/x-m4v'],
    sources: ['media_id', 'url'],
  },
  carousel: { supported: false, min_items: 1, max_items: 1, allow_video: true, images_only: false },
  text_only: false,
  threads: { supported: false, max_segments: 1 },
  first_comment: COMMENT,
  visibilities: ['public', 'private'],
};

const { optionsOf, checking } = platformOptions(
  'youtube',
  z.object({
    privacy_status: z
      .enum(['public', 'unlisted', 'private'], 'must be public, unlisted or private')
      .optional()
      .describe('Instead of the visibility, which has no word for unlisted.'),
    tags: z.array(z.string().trim().min(1).max(100)).max(100).optional(),
    category_id: z
      .string()
      .regex(/^\d{1,4}$/, 'must be the number of a category')
      .optional(),
    made_for_kids: z.boolean().optional(),
    contains_synthetic_media: z.boolean().optional(),
    notify_subscribers: z.boolean().optional(),
    embeddable: z.boolean().optional(),
    public_stats_viewable: z.boolean().optional(),
    license: z.enum(['youtube', 'creativeCommon'], 'must be youtube or creativeCommon').optional(),
    default_language: z.string().min(2).max(35).optional(),
    thumbnail: optionImage.optional(),
  }),
);
export { optionsOf };

export const privacyOf = (post: OutgoingPost): string => optionsOf(post).privacy_status ?? post.visibility;

export const attached = (options: OutgoingPost['options']): readonly MediaRef[] => imageIn(options['thumbnail']);

/** The length of tags as YouTube counts it: with quotes around tags with spaces, and commas between all. */
const tagsLength = (tags: readonly string[]): number =>
  tags.reduce((sum, tag) => sum + tag.length + (tag.includes(' ') ? 2 : 0) + 1, -1);

export const check = checking((post, { add, option }) => {
  const { tags = [], made_for_kids: isForKids } = optionsOf(post);
  for (const [field, value] of Object.entries({ title: post.title ?? '', text: post.text })) {
    if (/[<>]/.test(value)) add(field, 'must not contain < or >');
  }
  if (tagsLength(tags) > LONGEST_TAGS) option('tags', `take at most ${LONGEST_TAGS} characters together`);
  if (post.first_comment !== undefined && (isForKids === true || privacyOf(post) === 'private'))
    add('first_comment', 'is not possible on a private video, or on one made for kids');
});

export const assertFits = fitting({ title: 'YouTube', rules, check });
