import * as z from 'zod';
import { lengthOf } from '#kernel/text/length.ts';
import { linksIn } from '#kernel/text/links.ts';
import type { Issue, OutgoingPost, PostRules } from '../../posts.ts';
import type { TextRule } from '../../sending.ts';
import { fitting } from '../../shared/fits.ts';
import { altTexts, platformOptions, webAddress } from '../../shared/options.ts';
import { partsOf } from '../../shared/posting.ts';

const MOST_LINKS = 5;
/** The number of links above which users have seen posts refused. */
const LIKELY_LINKS = 3;
const MOST_TAG = 50;
const MOST_RATIO = 10;

/** The text limit of posts and replies. */
export const TEXT = Object.freeze<TextRule>({ max: 500, counting: 'emoji_bytes' });

/** The rules of posts; Threads scales images that are too wide or too narrow. */
export const rules = Object.freeze<PostRules>({
  text: { max_length: TEXT.max, counting_mode: TEXT.counting, max_links: MOST_LINKS },
  media: {
    max_image_size_bytes: 8_000_000,
    max_video_size_bytes: 1_000_000_000,
    max_video_duration_sec: 300,
    supported_image_types: ['image/jpeg', 'image/png'],
    supported_video_types: ['video/mp4', 'video/quicktime'],
    pictures: { min_aspect_ratio: 1 / MOST_RATIO, max_aspect_ratio: MOST_RATIO },
    pulls: 'any_address',
    sources: ['media_id', 'url'],
  },
  carousel: { supported: true, min_items: 2, max_items: 20, allow_video: true, images_only: false },
  text_only: true,
  threads: { supported: true, max_segments: 25 },
  first_comment: TEXT,
  visibilities: ['public'],
});

const AUDIENCES = Object.freeze([
  'everyone',
  'accounts_you_follow',
  'mentioned_only',
  'parent_post_author_only',
  'followers_only',
] as const);

const Options = z.object({
  reply_control: z.enum(AUDIENCES, `must be one of: ${AUDIENCES.join(', ')}`).optional(),
  topic_tag: z
    .string()
    .min(1, 'is empty')
    .max(MOST_TAG, `takes at most ${MOST_TAG} characters`)
    .regex(/^[^.&]*$/, 'takes neither . nor &')
    .optional(),
  link_attachment: webAddress().optional().describe('The link of the card.'),
  quote_post_id: z
    .string()
    .regex(/^\d{1,40}$/, 'must be the id of a post')
    .optional(),
  is_spoiler_media: z.boolean().optional(),
  allowlisted_country_codes: z
    .array(z.string().regex(/^[A-Z]{2}$/, 'must be country codes, such as DE'))
    .min(1)
    .max(250)
    .optional(),
  alts: altTexts(500).describe('Alt texts of the media of the whole thread, in order.'),
});

const { optionsOf, checking } = platformOptions('threads', Options);
export { optionsOf };

/** Checks what rules as data cannot express: options, shapes of images, and an empty first post. */
export const check = checking((post, { add, option }) => {
  checkLink(post, (message) => option('link_attachment', message));
  if (post.segments.length > 0 && isEmpty(post)) add('text', 'is empty');
  for (const [index, { media }] of partsOf(post).entries()) {
    for (const [at, { kind, width = 1, height = 1 }] of media.entries()) {
      if (kind !== 'image' && Math.max(width / height, height / width) > MOST_RATIO)
        add(`media.${at}`, `has an aspect ratio beyond ${MOST_RATIO}:1`, index);
    }
  }
});

/** Warns of limits that users report but Threads does not document: bytes of all characters, three links. */
export function doubts(post: OutgoingPost): readonly Issue[] {
  const { first_comment: text } = post;
  return [
    ...partsOf(post).flatMap((part, index) => [...heavy(part.text, 'text', index), ...linked(post, part.text, index)]),
    ...(text === undefined ? [] : heavy(text, 'first_comment')),
  ];
}

function heavy(text: string, field: string, part = 0): readonly Issue[] {
  const bytes = lengthOf(text, 'bytes');
  if (bytes <= TEXT.max || lengthOf(text, TEXT.counting) > TEXT.max) return [];
  const message = `has ${bytes} bytes: Threads documents ${TEXT.max} characters, but may refuse more than ${TEXT.max} bytes`;
  return [{ field, message, ...(part > 0 && { segment_index: part - 1 }) }];
}

function linked(post: OutgoingPost, text: string, part: number): readonly Issue[] {
  const links = linksOf(text, part === 0 ? optionsOf(post).link_attachment : undefined).size;
  if (links <= LIKELY_LINKS || links > MOST_LINKS) return [];
  const message = `has ${links} links: Threads documents ${MOST_LINKS}, but may refuse more than ${LIKELY_LINKS}`;
  return [{ field: 'text', message, ...(part > 0 && { segment_index: part - 1 }) }];
}

const linksOf = (text: string, card: string | undefined): ReadonlySet<string> =>
  new Set([...linksIn(text).map(({ uri }) => uri), ...(card === undefined ? [] : [card])]);

function checkLink(post: OutgoingPost, add: (message: string) => void): void {
  const { link_attachment: link } = optionsOf(post);
  if (link === undefined) return;
  const links = linksOf(post.text, link);
  if (post.media.length > 0) add('cannot be combined with media');
  if (links.size === MOST_LINKS + 1) add(`is one link more than ${MOST_LINKS}`);
}

const isEmpty = ({ text, media }: Pick<OutgoingPost, 'text' | 'media'>) => text.trim() === '' && media.length === 0;

export const assertFits = fitting({ title: 'Threads', rules, check });
