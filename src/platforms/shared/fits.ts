import type { OutgoingMedia } from '../media.ts';
import type { Issue, OutgoingPost, PostRules } from '../posts.ts';
import { refused, unfit } from './errors.ts';

export type Add = (field: string, message: string) => void;

type Platform = Readonly<{
  title: string;
  rules: PostRules;
  check(post: OutgoingPost): readonly Issue[];
}>;

/** Checks a post before anything is sent, because callers may skip validation; throws the first issue. */
export function fitting({ title, rules, check }: Platform): (post: OutgoingPost) => void {
  const { carousel, text_only, threads, media: limits } = rules;
  const most = carousel.max_items;
  const hasImages = limits.supported_image_types.length > 0;
  const images = most > 1 ? `up to ${most} images` : 'one image';
  const mixed = carousel.allow_video ? `${images} and videos` : `${images} or one video`;
  const files = hasImages ? mixed : 'one video';

  function assertPart({ text, media }: Pick<OutgoingPost, 'text' | 'media'>): void {
    if (media.length === 0 && !text_only)
      throw refused('media_required', `${title} does not publish posts without media.`);
    if (media.length === 0 && text.trim() === '') throw unfit(`A post on ${title} needs text or media.`);
    const isMixed = media.length > 1 && media.some(({ kind }) => kind === 'video') && !carousel.allow_video;
    const isOther = !hasImages && media.some(({ kind }) => kind === 'image');
    if (media.length > most || isMixed || isOther) throw unfit(`${title} accepts ${files} in a post.`);
  }

  return function assertFits(post) {
    if (post.segments.length > 0 && !threads.supported) throw unfit(`${title} has no threads.`);
    for (const part of [post, ...post.segments]) assertPart(part);
    if (rules.title?.required && !post.title?.trim()) throw unfit(`${title} does not publish posts without a title.`);
    if (rules.board && post.board_id === undefined)
      throw unfit(`${title} does not publish posts without a board: board_id is required.`);
    const [issue] = check(post);
    if (issue) throw unfit(`${issue.field}: ${issue.message}.`);
  };
}

type StoryLimits = Readonly<{ seconds: number; bytes?: number }>;

/** A story is one image or video, has its own limits, and cannot have comments. */
export function checkStory(
  { media, first_comment }: OutgoingPost,
  { seconds, bytes = Infinity }: StoryLimits,
  add: Add,
) {
  const [item] = media;
  if (media.length !== 1) add('media', 'a story takes exactly one image or video');
  else if (item!.kind === 'video') checkStoryVideo(item!, { seconds, bytes }, add);
  if (first_comment !== undefined) add('first_comment', 'is not possible on a story');
}

function checkStoryVideo(
  { duration_ms = 0, size_bytes = 0 }: OutgoingMedia,
  { seconds, bytes }: Required<StoryLimits>,
  add: Add,
): void {
  if (duration_ms > seconds * 1000) add('media.0', `a story takes at most ${seconds} seconds`);
  if (size_bytes > bytes) add('media.0', `a story takes a video of at most ${bytes} bytes`);
}
