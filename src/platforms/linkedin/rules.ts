import * as z from 'zod';
import { lengthOf } from '#kernel/text/length.ts';
import type { MediaRef } from '../media.ts';
import type { OutgoingPost, PostRules } from '../posts.ts';
import type { TextRule } from '../sending.ts';
import { fitting } from '../shared/fits.ts';
import { altTexts, imageIn, optionImage, platformOptions, webAddress } from '../shared/options.ts';
import { commentaryOf } from './text.ts';

const LONGEST_TEXT = 3000;
const LONGEST_TITLE = 400;
const MOST_IMAGES = 20;
const MOST_PIXELS = 36_152_319;
const WIDEST_VIDEO = 2.4;
const SMALLEST_VIDEO = 75_000;

export const COMMENT = Object.freeze<TextRule>({ max: 1250, counting: 'chars' });

/** The rules of posts. LinkedIn also accepts Word and PowerPoint files, but this server does not. */
export const rules = Object.freeze<PostRules>({
  text: { max_length: LONGEST_TEXT, counting_mode: 'chars' },
  title: { max: LONGEST_TITLE, counting: 'chars', required: false },
  media: {
    max_image_size_bytes: 5_000_000,
    max_video_size_bytes: 500_000_000,
    max_video_duration_sec: 1800,
    min_video_duration_sec: 3,
    supported_image_types: ['image/jpeg', 'image/png', 'image/gif'],
    supported_video_types: ['video/mp4'],
    pictures: { animated: ['image/gif'], max_pixels: MOST_PIXELS },
    documents: ['application/pdf'],
    max_document_size_bytes: 100_000_000,
    sources: ['media_id', 'url'],
  },
  carousel: { supported: true, min_items: 2, max_items: MOST_IMAGES, allow_video: false, images_only: true },
  text_only: true,
  threads: { supported: false, max_segments: 1 },
  first_comment: COMMENT,
  visibilities: ['public', 'connections_only', 'logged_in'],
});

const DURATIONS = Object.freeze(['ONE_DAY', 'THREE_DAYS', 'SEVEN_DAYS', 'FOURTEEN_DAYS'] as const);
const short = (most: number) => z.string().trim().min(1, 'is empty').max(most, `takes at most ${most} characters`);

const { optionsOf, checking } = platformOptions(
  'linkedin',
  z.object({
    // A post may have one of these: a link card (a missing title is read from the page), a poll or a shared post.
    article: z
      .object({
        source: webAddress(),
        title: short(LONGEST_TITLE).optional(),
        description: short(4000).optional(),
        thumbnail: optionImage.optional(),
      })
      .optional(),
    poll: z
      .object({
        question: short(140),
        options: z.array(short(30)).min(2, 'takes 2 to 4 options').max(4, 'takes 2 to 4 options'),
        duration: z.enum(DURATIONS, `must be one of: ${DURATIONS.join(', ')}`).default('THREE_DAYS'),
      })
      .optional(),
    reshare: z
      .string()
      .regex(/^urn:li:(?:share|ugcPost):\d{1,25}$/, 'must be the URN of a post, urn:li:share:… or urn:li:ugcPost:…')
      .optional(),
    is_reshare_disabled: z.boolean().optional(),
    alts: altTexts(MOST_IMAGES),
  }),
);
export { optionsOf };

export const attached = ({ article }: OutgoingPost['options']): readonly MediaRef[] =>
  imageIn((article as Readonly<{ thumbnail?: unknown }> | null | undefined)?.thumbnail);

/** Checks the text as LinkedIn renders it, and the types of files. */
export const check = checking((post, { add, option }) => {
  const { text, media } = post;
  const options = optionsOf(post);
  const [one, other] = (['article', 'poll', 'reshare'] as const).filter((name) => options[name] !== undefined);
  if (other) option(other, `does not go with ${one!}`);
  if (one && media.length > 0) option(one, 'cannot be combined with media');
  const length = lengthOf(commentaryOf(text), 'chars');
  if (length > LONGEST_TEXT && lengthOf(text, 'chars') <= LONGEST_TEXT)
    add('text', `exceeds ${LONGEST_TEXT} characters once special ones are escaped (${length}/${LONGEST_TEXT})`);
  if (media.length > 1 && media.some(({ kind }) => kind !== 'image'))
    add('media', 'takes several images, or one video or document');
  for (const [at, { kind, width = 1, height = 1, size_bytes = SMALLEST_VIDEO }] of media.entries()) {
    if (kind !== 'video') continue;
    if (Math.max(width / height, height / width) > WIDEST_VIDEO)
      add(`media.${at}`, `has an aspect ratio beyond ${WIDEST_VIDEO}:1`);
    if (size_bytes < SMALLEST_VIDEO) add(`media.${at}`, `is smaller than ${SMALLEST_VIDEO} bytes`);
  }
});

export const assertFits = fitting({ title: 'LinkedIn', rules, check });
