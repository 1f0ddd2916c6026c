import * as z from 'zod';
import { hashtagsIn, mentionsIn } from '#kernel/text/tags.ts';
import type { MediaRef } from '../../media.ts';
import type { Issue, OutgoingPost, PostRules } from '../../posts.ts';
import { type Add, checkStory, fitting } from '../../shared/fits.ts';
import { altTexts, imageIn, optionImage, platformOptions } from '../../shared/options.ts';
import { TEXT } from '../inbox/comments.ts';

/** Documented limits of a caption. */
const MOST = { hashtags: 30, mentions: 20 };

/** The rules of posts, whose media Instagram fetches itself. */
export const rules = Object.freeze<PostRules>({
  text: { max_length: 2200, counting_mode: 'chars', max_hashtags: MOST.hashtags, max_mentions: MOST.mentions },
  media: {
    max_image_size_bytes: 8_000_000,
    max_video_size_bytes: 300_000_000,
    max_video_duration_sec: 15 * 60,
    min_video_duration_sec: 3,
    supported_image_types: ['image/jpeg'],
    supported_video_types: ['video/mp4', 'video/quicktime'],
    pictures: { min_aspect_ratio: 0.8, max_aspect_ratio: 1.91 },
    pulls: 'any_address',
    sources: ['media_id', 'url'],
  },
  carousel: { supported: true, min_items: 2, max_items: 10, allow_video: true, images_only: false },
  text_only: false,
  threads: { supported: false, max_segments: 1 },
  first_comment: TEXT,
  visibilities: ['public'],
});

const STORY = { seconds: 60, bytes: 100_000_000 };

/** Lower limits of a caption, as reported by other vendors. */
const LIKELY = [
  { what: 'hashtags', most: 5, documented: MOST.hashtags, countIn: hashtagsIn },
  { what: 'mentions', most: 3, documented: MOST.mentions, countIn: mentionsIn },
] as const;

const username = z.string().regex(/^@?[\w.]{1,30}$/, 'must be a username');
const ratio = z.number().min(0).max(1);

const Options = z.object({
  media_type: z
    .enum(['feed', 'reel', 'stories', 'carousel'], 'must be feed, reel, stories or carousel')
    .optional()
    .describe('A single video is always a reel, and several items are a carousel.'),
  alts: altTexts(10),
  collaborators: z.array(username).max(3, 'takes at most 3 usernames').optional(),
  location_id: z
    .string()
    .regex(/^\d{1,30}$/, 'must be the id of a place')
    .optional()
    .describe('Id of a Facebook Page with a location.'),
  user_tags: z
    .array(z.object({ username, x: ratio.optional(), y: ratio.optional(), item: z.int().min(0).max(9).default(0) }))
    .max(20)
    .optional()
    .describe('People in the media; `item` is the carousel item, from 0.'),
  is_ai_generated: z.boolean().optional(),
  share_to_feed: z.boolean().optional().describe('Whether a reel is in the feed too.'),
  cover: optionImage.optional().describe('The cover of a reel.'),
  thumb_offset: z.int().min(0).optional().describe('Where in a reel its cover is, in milliseconds.'),
  audio_name: z.string().max(100).optional().describe('The name of the sound of a reel.'),
  trial: z
    .enum(['manual', 'performance'], 'must be manual or performance')
    .optional()
    .describe('For a trial reel, shown to non-followers first: what makes followers see it.'),
});

/** The kind of post; each kind has a container of a different form. */
export type Kind = 'feed' | 'carousel' | 'reel' | 'stories';

const { optionsOf, checking } = platformOptions('instagram', Options);
export { optionsOf };

export function kindOf(post: OutgoingPost): Kind {
  const { media_type: type } = optionsOf(post);
  if (type === 'stories') return type;
  if (post.media.length > 1) return 'carousel';
  return post.media[0]?.kind === 'video' ? 'reel' : 'feed';
}

/** Whether pictures may have any shape, as in stories but not in the feed. */
export const anyShape = (post: OutgoingPost): boolean => kindOf(post) === 'stories';

export const attached = (options: OutgoingPost['options']): readonly MediaRef[] => imageIn(options['cover']);

/** Checks what rules as data cannot express: options, and what each kind of post accepts. */
export const check = checking((post, { add, option }) => {
  const { media_type: type, user_tags = [], cover, thumb_offset, trial, share_to_feed, audio_name } = optionsOf(post);
  const { media } = post;
  const kind = kindOf(post);
  const isReel = kind === 'reel';
  if (type === 'reel' && !isReel) add('media', 'a reel takes exactly one video');
  if (type === 'carousel' && kind !== 'carousel') add('media', 'a carousel takes 2 to 10 images and videos');
  if (kind === 'stories') checkStory(post, STORY, add);
  const ofReels = { cover, thumb_offset, trial, share_to_feed, audio_name };
  for (const [name, value] of Object.entries(ofReels)) {
    if (value !== undefined && !isReel) option(name, 'is possible only on a reel');
  }
  checkTags(user_tags, media, kind, option);
});

type Tag = Readonly<{ item: number; x?: number | undefined; y?: number | undefined }>;

function checkTags(tags: readonly Tag[], media: OutgoingPost['media'], kind: Kind, option: Add): void {
  for (const [at, { item, x, y }] of tags.entries()) {
    const name = `user_tags.${at}`;
    if (item >= Math.max(media.length, 1)) option(`${name}.item`, 'must be one of the media items');
    const isPlaced = x !== undefined && y !== undefined;
    if (media[item]?.kind === 'image' && kind !== 'stories' && !isPlaced) option(name, 'needs x and y on an image');
  }
}

/** Warns of captions that other vendors saw refused although they keep to the documented limits. */
export function doubts(post: OutgoingPost): readonly Issue[] {
  if (kindOf(post) === 'stories') return [];
  return LIKELY.flatMap(({ what, most, documented, countIn }) => {
    const count = countIn(post.text);
    if (count <= most || count > documented) return [];
    const message = `has ${count} ${what}: Instagram documents ${documented}, but may refuse more than ${most}`;
    return [{ field: 'text', message }];
  });
}

export const assertFits = fitting({ title: 'Instagram', rules, check });
