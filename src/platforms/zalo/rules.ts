import * as z from 'zod';
import { cut, lengthOf } from '#kernel/text/length.ts';
import type { MediaRef } from '../media.ts';
import type { OutgoingPost, PostRules } from '../posts.ts';
import { fitting } from '../shared/fits.ts';
import { imageIn, optionImage, platformOptions, webAddress } from '../shared/options.ts';

const MB = 1024 * 1024;
const LONGEST_DESCRIPTION = 300;
export const LONGEST_AUTHOR = 50;

/** The rules of an article, whose body is the text; for a video the text is the description. */
export const rules: PostRules = {
  text: { max_length: 50_000, video_max_length: LONGEST_DESCRIPTION, counting_mode: 'chars' },
  title: { max: 150, counting: 'chars', required: true },
  media: {
    max_image_size_bytes: MB,
    max_video_size_bytes: 50 * MB,
    supported_image_types: ['image/jpeg', 'image/png'],
    supported_video_types: ['video/mp4'],
    pulls: 'any_address',
    sources: ['media_id', 'url'],
  },
  carousel: { supported: false, min_items: 1, max_items: 1, allow_video: false, images_only: false },
  text_only: false,
  threads: { supported: false, max_segments: 1 },
  first_comment: false,
  visibilities: ['public'],
};

const longest = (most: number) => z.string().max(most, `takes at most ${most} characters`);

const { optionsOf, checking } = platformOptions(
  'zalo',
  z.object({
    author: longest(LONGEST_AUTHOR).optional().describe('The author of the article; the official account by default.'),
    description: longest(LONGEST_DESCRIPTION)
      .optional()
      .describe('The teaser of an article; by default the beginning of its text.'),
    comment: z
      .enum(['show', 'hide'], 'must be show or hide')
      .optional()
      .describe('Whether people may comment; Zalo has no API for comments.'),
    cover: optionImage.optional(),
    related_medias: z.array(z.string().min(1).max(100)).max(20).optional().describe('Ids of recommended articles.'),
    tracking_link: webAddress().optional(),
  }),
);
export { optionsOf };

/** Whether the article is a video; otherwise the image is the cover of an article with text. */
export const isVideo = ({ media }: OutgoingPost): boolean => media[0]?.kind === 'video';

/** The cover of a video, which Zalo fetches like other media. */
export const attached = (options: OutgoingPost['options']): readonly MediaRef[] => imageIn(options['cover']);

export const check = checking((post, { add, option }) => {
  const { cover, author, related_medias, tracking_link } = optionsOf(post);
  if (!isVideo(post)) {
    if (post.text.trim() === '') add('text', 'is empty: an article needs a body');
    if (cover !== undefined) option('cover', 'belongs to a video; the image is the cover');
    return;
  }
  if (cover === undefined) option('cover', 'is required with a video');
  const length = lengthOf(post.text, 'chars');
  if (length > LONGEST_DESCRIPTION)
    add('text', `exceeds ${LONGEST_DESCRIPTION} character limit of a video (${length}/${LONGEST_DESCRIPTION})`);
  for (const [name, value] of Object.entries({ author, related_medias, tracking_link }))
    if (value !== undefined) option(name, 'is not possible with a video');
});

export const assertFits = fitting({ title: 'Zalo', rules, check });

/** The description of an article, by default the beginning of its text. */
export function descriptionOf(post: OutgoingPost): string {
  const { description = post.text.trim().replaceAll(/\s+/g, ' ') } = optionsOf(post);
  const words = description || post.title!;
  if (words.length <= LONGEST_DESCRIPTION) return words;
  return `${cut(words, LONGEST_DESCRIPTION - 1).replace(/\s\S*$/, '')}…`;
}
