import * as z from 'zod';
import type { MediaRef } from '../media.ts';
import type { OutgoingPost, PostRules } from '../posts.ts';
import { fitting } from '../shared/fits.ts';
import { altTexts, imageIn, optionImage, platformOptions } from '../shared/options.ts';

const MB = 1024 * 1024;
const LONGEST_TITLE = 100;
const LONGEST_ALT = 500;
const MOST_IMAGES = 5;

/** The rules of pins; images are sent within the request, which works from any server. */
export const rules = Object.freeze<PostRules>({
  text: { max_length: 800, counting_mode: 'utf16' },
  title: { max: LONGEST_TITLE, counting: 'utf16', required: false },
  media: {
    max_image_size_bytes: 10 * MB,
    max_video_size_bytes: 2048 * MB,
    min_video_duration_sec: 4,
    max_video_duration_sec: 15 * 60,
    supported_image_types: ['image/jpeg', 'image/png'],
    supported_video_types: ['video/mp4', 'video/quicktime', 'video/x-m4v'],
    sources: ['media_id', 'url'],
  },
  carousel: { supported: true, min_items: 2, max_items: MOST_IMAGES, allow_video: false, images_only: true },
  text_only: false,
  threads: { supported: false, max_segments: 1 },
  first_comment: false,
  board: 'required',
  visibilities: ['public'],
});

const Link = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address' })
  .max(2048, 'takes at most 2048 characters');

const { optionsOf, checking } = platformOptions(
  'pinterest',
  z.object({
    link: Link.optional(),
    alt_text: z
      .string()
      .max(LONGEST_ALT, `takes at most ${LONGEST_ALT} characters`)
      .optional()
      .describe('One text for all images.'),
    board_section_id: z.string().regex(/^\d+$/, 'must be the number of a section').optional(),
    dominant_color: z
      .string()
      .regex(/^#[0-9a-f]{6}$/i, 'must look like #6E7874')
      .optional(),
    cover: optionImage.optional().describe('The still of a video; by default the frame at cover_time.'),
    cover_time: z
      .int()
      .nonnegative()
      .max(900)
      .optional()
      .describe('The frame of the video that is its cover, in seconds.'),
    titles: altTexts(MOST_IMAGES).describe('A title per image.'),
    links: z.array(Link.nullable()).max(MOST_IMAGES).optional(),
  }),
);
export { optionsOf };

export const attached = (options: OutgoingPost['options']): readonly MediaRef[] => imageIn(options['cover']);

/** Whether the pin is a video; otherwise it has one or more images. */
export const isVideo = ({ media }: OutgoingPost): boolean => media[0]?.kind === 'video';

export const check = checking((post, { add, option }) => {
  const { cover, cover_time, titles, links } = optionsOf(post);
  const belong = (given: object, wanted: string) => {
    for (const [name, value] of Object.entries(given)) if (value !== undefined) option(name, `belongs to ${wanted}`);
  };
  if (!isVideo(post)) belong({ cover, cover_time }, 'a video');
  if (post.media.length < 2) belong({ titles, links }, 'several images');
  if (post.board_id !== undefined && !/^\d+$/.test(post.board_id)) add('board_id', 'must be the number of a board');
  const tooLong = (titles ?? []).findIndex((title) => (title?.length ?? 0) > LONGEST_TITLE);
  if (tooLong >= 0) option(`titles.${tooLong}`, `takes at most ${LONGEST_TITLE} characters`);
});

export const assertFits = fitting({ title: 'Pinterest', rules, check });
