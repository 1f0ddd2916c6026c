import * as z from 'zod';
import { type Add, checkStory, fitting } from '../../shared/fits.ts';
import { altTexts, platformOptions, webAddress } from '../../shared/options.ts';
import type { OutgoingMedia } from '../../media.ts';
import type { OutgoingPost, PostRules } from '../../posts.ts';
import { TEXT } from '../inbox/comments.ts';

/** Limits of page posts. 10 MB for photos is documented; a lower limit here would refuse photos too early. */
export const rules = Object.freeze<PostRules>({
  text: { max_length: 63_206, counting_mode: 'chars' },
  media: {
    max_image_size_bytes: 10_000_000,
    max_video_size_bytes: 10_000_000_000,
    max_video_duration_sec: 4 * 3600,
    supported_image_types: ['image/jpeg', 'image/png', 'image/gif'],
    supported_video_types: ['video/mp4', 'video/quicktime'],
    pictures: { animated: ['image/gif'] },
    sources: ['media_id', 'url'],
  },
  carousel: { supported: true, min_items: 2, max_items: 10, allow_video: false, images_only: true },
  text_only: true,
  threads: { supported: false, max_segments: 1 },
  first_comment: TEXT,
  visibilities: ['public'],
});

const REEL = { shortest: 3, longest: 90, width: 540, height: 960 };
const STORY = { seconds: 60 };
const MOST_TITLE = 255;

const Options = z.object({
  media_type: z
    .enum(['feed', 'reel', 'stories', 'carousel'], 'must be feed, reel, stories or carousel')
    .optional()
    .describe(
      'The kind of post a video or photo becomes; `carousel` is the term of other platforms for several photos.',
    ),
  link: webAddress().optional(),
  alts: altTexts(100),
});

/** The kind of post; each kind has its own publishing steps. */
export type Kind = 'text' | 'photos' | 'video' | 'reel' | 'photo_story' | 'video_story';

const { optionsOf, checking } = platformOptions('facebook', Options);
export { optionsOf };

export function kindOf(post: OutgoingPost): Kind {
  const video = post.media[0]?.kind === 'video';
  const { media_type: type } = optionsOf(post);
  if (type === 'reel' && video) return 'reel';
  if (type === 'stories' && post.media.length > 0) return video ? 'video_story' : 'photo_story';
  if (video) return 'video';
  return post.media.length > 0 ? 'photos' : 'text';
}

/** Checks what rules as data cannot express: options, reels, stories, and what a link can be combined with. */
export const check = checking((post, { add, option }) => {
  const { media_type: type, link } = optionsOf(post);
  const { media } = post;
  const videos = media.filter(({ kind }) => kind === 'video');
  if (videos.length > 1) add('media', 'takes one video only');
  if (link !== undefined && media.length > 0) option('link', 'cannot be combined with media');
  if (type === 'carousel' && (media.length < rules.carousel.min_items || videos.length > 0)) {
    add('media', `a carousel takes ${rules.carousel.min_items} to ${rules.carousel.max_items} photos`);
  }
  if (videos.length === 1 && (post.title?.length ?? 0) > MOST_TITLE) {
    add('title', `exceeds ${MOST_TITLE} character limit (${post.title!.length}/${MOST_TITLE})`);
  }
  if (type === 'reel') checkReel(media, add);
  if (type === 'stories') checkStory(post, STORY, add);
});

function checkReel(media: readonly OutgoingMedia[], add: Add): void {
  const [video] = media;
  if (media.length !== 1 || video!.kind !== 'video') return add('media', 'a reel takes exactly one video');
  const seconds = secondsOf(video!);
  if (seconds !== undefined && (seconds < REEL.shortest || seconds > REEL.longest)) {
    add('media.0', `a reel takes ${REEL.shortest} to ${REEL.longest} seconds`);
  }
  const { width, height } = video!;
  if ((width !== undefined && width < REEL.width) || (height !== undefined && height < REEL.height)) {
    add('media.0', `a reel takes at least ${REEL.width} × ${REEL.height} pixels`);
  }
}

function secondsOf({ duration_ms: ms }: OutgoingMedia): number | undefined {
  return ms === undefined ? undefined : ms / 1000;
}

export const assertFits = fitting({ title: 'Facebook', rules, check });
