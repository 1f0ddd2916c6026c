import * as z from 'zod';
import { tableOf } from '#kernel/text/table.ts';
import { lengthOf } from '#kernel/text/length.ts';
import type { OutgoingPost, PostRules } from '../../posts.ts';
import { type Add, fitting } from '../../shared/fits.ts';
import { platformOptions } from '../../shared/options.ts';

const MB = 1024 * 1024;
const LONGEST_CAPTION = 2200;
/** The limit of a photo's shorter side, as the API for Business documents it; the other product refused more. */
const SHORTER_SIDE = 1080;
/** Limits of a comment, which can only be written by the API for Business. */
export const COMMENT = Object.freeze({ max: 150, counting: 'chars' } as const);

const LEVELS = ['PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS', 'FOLLOWER_OF_CREATOR', 'SELF_ONLY'] as const;
export type Level = (typeof LEVELS)[number];

const BY_VISIBILITY: ReadonlyMap<string, Level> = tableOf({
  public: 'PUBLIC_TO_EVERYONE',
  connections_only: 'MUTUAL_FOLLOW_FRIENDS',
  private: 'SELF_ONLY',
});

/** Rules of TikTok for Developers, which fetches photos from a verified domain; videos are uploaded. */
export const rules = Object.freeze<PostRules>({
  text: { max_length: 4000, video_max_length: LONGEST_CAPTION, counting_mode: 'utf16' },
  title: { max: 90, counting: 'utf16', required: false },
  media: {
    max_image_size_bytes: 20 * MB,
    max_video_size_bytes: 4096 * MB,
    max_video_duration_sec: 600,
    supported_image_types: ['image/jpeg', 'image/webp'],
    supported_video_types: ['video/mp4', 'video/quicktime', 'video/webm'],
    pictures: { max_shorter_side: SHORTER_SIDE },
    pulls: 'our_address',
    pulled: ['image'],
    sources: ['media_id', 'url'],
  },
  carousel: { supported: true, min_items: 2, max_items: 35, allow_video: false, images_only: true },
  text_only: false,
  media_required: true,
  threads: { supported: false, max_segments: 1 },
  first_comment: false,
  visibilities: [...BY_VISIBILITY.keys()],
});

/** Rules of the API for Business, which also fetches videos but accepts only smaller ones. */
export const businessRules = Object.freeze<PostRules>({
  ...rules,
  media: { ...rules.media, max_video_size_bytes: 1024 * MB, min_video_duration_sec: 3, pulled: ['image', 'video'] },
  first_comment: COMMENT,
});

const toggle = z.boolean().optional();

const { optionsOf, checking } = platformOptions(
  'tiktok',
  z.object({
    privacy_level: z
      .enum(LEVELS, `must be one of ${LEVELS.join(', ')}`)
      .optional()
      .describe('Instead of the visibility, which has no word for followers.'),
    disable_comment: toggle,
    disable_duet: toggle,
    disable_stitch: toggle,
    video_cover_timestamp_ms: z
      .int()
      .nonnegative()
      .max(600_000)
      .optional()
      .describe('The cover frame of a video, in milliseconds.'),
    brand_content_toggle: toggle.describe('A paid partnership.'),
    brand_organic_toggle: toggle.describe('Promotes the creator’s own business.'),
    is_aigc: toggle.describe('Made by AI.'),
    auto_add_music: toggle,
    photo_cover_index: z.int().nonnegative().max(34).optional().describe('The cover photo, from 0.'),
    draft: toggle.describe('The creator finishes the post in the app.'),
  }),
);
export { optionsOf };

/** Whether the post is a video; otherwise it consists of photos. */
export const isVideo = ({ media }: OutgoingPost): boolean => media[0]?.kind === 'video';

export const levelOf = (post: OutgoingPost): Level =>
  optionsOf(post).privacy_level ?? BY_VISIBILITY.get(post.visibility) ?? 'PUBLIC_TO_EVERYONE';

/** Whether the post gets an id at all: private posts and drafts do not. */
export const isNamed = (post: OutgoingPost): boolean => optionsOf(post).draft !== true && levelOf(post) !== 'SELF_ONLY';

/** Options that only videos (or only photos) have. */
const OF_VIDEO = ['video_cover_timestamp_ms', 'disable_duet', 'disable_stitch', 'is_aigc'] as const;
const OF_PHOTOS = ['auto_add_music', 'photo_cover_index'] as const;

const checkFor = (more: (post: OutgoingPost, add: Add) => void = () => {}) =>
  checking((post, { add, option }) => {
    const options = optionsOf(post);
    for (const name of isVideo(post) ? OF_PHOTOS : OF_VIDEO)
      if (options[name] !== undefined) option(name, `belongs to ${isVideo(post) ? 'photos' : 'a video'}`);
    const length = lengthOf(post.text, 'utf16');
    if (isVideo(post) && length > LONGEST_CAPTION)
      add('text', `exceeds ${LONGEST_CAPTION} character limit of a video (${length}/${LONGEST_CAPTION})`);
    if ((options.photo_cover_index ?? 0) >= Math.max(post.media.length, 1))
      option('photo_cover_index', 'names no photo of the post');
    if (options.brand_content_toggle === true && levelOf(post) === 'SELF_ONLY')
      option('brand_content_toggle', 'is not possible on a post that only the creator sees');
    more(post, add);
  });

export const check = checkFor();

export const businessCheck = checkFor((post, add) => {
  if (isVideo(post) && levelOf(post) !== 'PUBLIC_TO_EVERYONE')
    add('visibility', 'the API for Business publishes videos for everyone only');
  if (post.first_comment !== undefined && !isNamed(post)) add('first_comment', 'needs a post that others see');
});

export const assertFits = fitting({ title: 'TikTok', rules, check });
export const assertFitsBusiness = fitting({ title: 'TikTok', rules: businessRules, check: businessCheck });
