import * as z from 'zod';
import type { OutgoingPost, PostRules } from '../posts.ts';
import type { TextRule } from '../sending.ts';
import { fitting, type Add } from '../shared/fits.ts';
import { altTexts, platformOptions } from '../shared/options.ts';
import { partsOf } from '../shared/posting.ts';
import { files, GIF_BYTES } from './upload.ts';

/** The text limit of posts and replies; Premium accounts may write more only on X itself. */
export const TEXT = Object.freeze<TextRule>({ max: 280, counting: 'weighted' });
const MOST_IMAGES = 4;

/** The rules of posts; a GIF may be larger than other images, but must be the only file. */
export const rules = Object.freeze<PostRules>({
  text: { max_length: TEXT.max, counting_mode: TEXT.counting },
  media: {
    ...files,
    max_image_size_bytes: GIF_BYTES,
    pictures: { animated: ['image/gif'], max_still_size_bytes: files.max_image_size_bytes },
  },
  carousel: { supported: true, min_items: 2, max_items: MOST_IMAGES, allow_video: false, images_only: true },
  text_only: true,
  threads: { supported: true, max_segments: 25 },
  first_comment: TEXT,
  visibilities: ['public'],
});

const AUDIENCES = Object.freeze(['following', 'mentionedUsers', 'subscribers', 'verified'] as const);
const PostId = z.string().regex(/^\d{1,30}$/, 'must be the id of a post');

const Options = z.object({
  reply_settings: z.enum(AUDIENCES, `must be one of: ${AUDIENCES.join(', ')}`).optional(),
  poll: z
    .object({
      options: z.array(z.string().min(1, 'is empty').max(25, 'takes at most 25 characters each')).min(2).max(4),
      duration_minutes: z.int().min(5).max(10_080),
    })
    .optional(),
  quote_tweet_id: PostId.optional().describe('The post to quote; for apps with an Enterprise plan.'),
  community_id: PostId.optional(),
  tagged_user_ids: z.array(PostId).min(1).max(10).optional(),
  made_with_ai: z.boolean().optional(),
  paid_partnership: z.boolean().optional(),
  for_super_followers_only: z.boolean().optional(),
  alts: altTexts(100).describe('Alt texts of the media of the whole thread, in order.'),
});

const { optionsOf, checking } = platformOptions('twitter', Options);
export { optionsOf };

const CASHTAG = /(?<![\w$&])\$[a-z]{1,6}(?:[._][a-z]{1,2})?(?!\w)/giu;

export const check = checking((post, { add, option }) => {
  const { poll, quote_tweet_id: quote, tagged_user_ids: tagged } = optionsOf(post);
  if (poll && (post.media.length > 0 || quote !== undefined))
    option('poll', 'cannot be combined with media or a quoted post');
  if (tagged && post.media.length === 0) option('tagged_user_ids', 'tags people in media, and there is none');
  if (post.segments.length > 0 && post.text.trim() === '' && post.media.length === 0) add('text', 'is empty');
  for (const [index, part] of partsOf(post).entries()) {
    if ((part.text.match(CASHTAG) ?? []).length > 1) add('text', 'takes at most one cashtag', index);
    checkImages(part.media, (field, message) => add(field, message, index));
  }
});

function checkImages(media: OutgoingPost['media'], add: Add): void {
  for (const [at, { content_type: type }] of media.entries())
    if (type === 'image/gif' && media.length > 1) add(`media.${at}`, 'is a GIF, which must be the only media item');
}

export const assertFits = fitting({ title: 'X', rules, check });
