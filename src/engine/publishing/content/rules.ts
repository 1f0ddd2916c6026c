import type { PlatformSlug } from '#kernel/platforms.ts';
import { faultsOf } from '#kernel/text/limits.ts';
import { isUrl, type MediaRef, type OutgoingMedia } from '#platforms/media.ts';
import type { PictureSpec } from '#kernel/pictures/picture.ts';
import type { Platform } from '#platforms/platform.ts';
import type { Issue, OutgoingPost, PostRules } from '#platforms/posts.ts';
import type { TextRule } from '#platforms/sending.ts';
import type { AttachedMedia } from './compose.ts';
import { expectedPost, isMeasured, picturesOf, pictureMisfit } from './pictures.ts';

/** Why a platform would refuse a post, found before it is sent. */
export type PostIssue = Readonly<{
  platform: PlatformSlug;
  field: string;
  message: string;
  target?: string;
  segment_index?: number;
}>;

type TextRules = PostRules['text'];

/** Checks a text against rules; each pair is checked once, however many targets share it. */
export type TextCheck = (text: string, rules: TextRules) => readonly string[];

export function makeTextCheck(): TextCheck {
  const known = new Map<TextRules, Map<string, readonly string[]>>();
  return (text, rules) => {
    const texts = known.get(rules) ?? new Map<string, readonly string[]>();
    known.set(rules, texts);
    const wrong = texts.get(text) ?? faultsOf(text, rules);
    texts.set(text, wrong);
    return wrong;
  };
}

/** The rule for another text, such as a title, in the form of the rules for the post's text. */
export const textRules = memoized(({ max, counting, max_bytes }: TextRule): TextRules => ({
  max_length: max,
  counting_mode: counting,
  ...(max_bytes !== undefined && { max_bytes }),
}));

/** Returns the same object for the same rule, because results are cached by object. */
function memoized<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const made = new WeakMap<K, V>();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    return value;
  };
}

function isMix(media: readonly OutgoingMedia[], { carousel }: PostRules): boolean {
  return !carousel.allow_video && new Set(media.map(({ kind }) => kind)).size > 1;
}

export function mixes({ posts }: Platform, media: readonly OutgoingMedia[]): boolean {
  return posts !== undefined && isMix(media, posts.rules);
}

function mediaIssues(media: readonly OutgoingMedia[], field: string, rules: PostRules, specs: Specs): Issue[] {
  const issues: Issue[] = [];
  const { carousel, media: limits } = rules;
  const max = carousel.supported ? carousel.max_items : 1;
  if (media.length > max) issues.push({ field, message: `takes at most ${max} media items (${media.length}/${max})` });
  if (isMix(media, rules)) {
    const what = media.some(({ kind }) => kind === 'file') ? 'documents and other media' : 'images and videos';
    issues.push({ field, message: `${what} cannot be mixed` });
  }
  issues.push(...media.flatMap((item, index) => itemIssues(item, `${field}.${index}`, limits, specs.get(item))));
  return issues;
}

/** The requirements for the pictures of a post; a picture without an entry is not accepted at all. */
type Specs = ReadonlyMap<OutgoingMedia, PictureSpec>;

const KINDS = Object.freeze({ image: 'images', video: 'videos', audio: 'audio files', file: 'documents' });

function itemIssues(
  item: OutgoingMedia,
  field: string,
  limits: PostRules['media'],
  spec: PictureSpec | undefined,
): readonly Issue[] {
  if (spec !== undefined && isMeasured(item)) {
    const message = pictureMisfit({ item, spec });
    return message === undefined ? [] : [{ field, message }];
  }
  const { types, cap } = limitsFor(item.kind, limits);
  if (types.length === 0) return [{ field, message: `${KINDS[item.kind]} are not supported` }];
  const wrong: string[] = [];
  if (item.content_type !== undefined && !types.includes(item.content_type))
    wrong.push(`type ${item.content_type} is not supported (${types.join(', ')})`);
  if (item.size_bytes !== undefined && cap > 0 && item.size_bytes > cap)
    wrong.push(`exceeds ${cap} bytes (${item.size_bytes}/${cap})`);
  wrong.push(...durationFaults(item, limits));
  return wrong.map((message) => ({ field, message }));
}

/** The accepted types and size for a kind of media; no types if it is not accepted at all. */
function limitsFor(kind: OutgoingMedia['kind'], limits: PostRules['media']) {
  if (kind === 'image') return { types: limits.supported_image_types, cap: limits.max_image_size_bytes };
  if (kind === 'video') return { types: limits.supported_video_types, cap: limits.max_video_size_bytes };
  if (kind === 'file') return { types: limits.documents ?? [], cap: limits.max_document_size_bytes ?? 0 };
  return { types: [], cap: 0 };
}

function durationFaults({ duration_ms }: OutgoingMedia, limits: PostRules['media']): readonly string[] {
  if (duration_ms === undefined) return [];
  const seconds = duration_ms / 1000;
  const { max_video_duration_sec: longest, min_video_duration_sec: shortest } = limits;
  return [
    ...(longest !== undefined && seconds > longest ? [`is longer than ${longest} seconds`] : []),
    ...(shortest !== undefined && seconds < shortest ? [`is shorter than ${shortest} seconds`] : []),
  ];
}

function attachedIssues(attached: readonly AttachedMedia[], rules: PostRules['media'], specs: Specs): readonly Issue[] {
  const limits = { ...rules, supported_image_types: rules.attached_image_types ?? rules.supported_image_types };
  return attached.flatMap(({ ref: { type }, media }) =>
    type === undefined || type === media.kind
      ? itemIssues(media, 'platform_data', limits, specs.get(media))
      : [{ field: 'platform_data', message: `names ${media.kind} media where ${type} media is expected` }],
  );
}

/** For platforms that fetch media: the media in the options, and why this server cannot be reached. */
export type MediaAccess = Readonly<{ attached: readonly AttachedMedia[]; unreachable: string | undefined }>;

/** Media that the platform would have to fetch from this server, but cannot. */
export function unfetchableIssues(
  { posts }: Platform,
  { media, segments }: OutgoingPost,
  { attached, unreachable }: MediaAccess,
): readonly Issue[] {
  const { pulls, pulled } = posts?.rules.media ?? {};
  if (pulls === undefined || unreachable === undefined) return [];
  const items = [...media, ...segments.flatMap((segment) => segment.media), ...attached.map((one) => one.media)];
  const fetched = items.filter(({ kind }) => pulled === undefined || pulled.includes(kind));
  const isOurs = fetched.some(({ ref }) => pulls === 'our_address' || !isUrl(ref));
  return isOurs ? [{ field: 'media', message: unreachable }] : [];
}

/** A platform's limits, lowered to the largest file that this server accepts. */
export function bounded(limits: PostRules['media'], maxBytes: number): PostRules['media'] {
  const most = (own: number) => (own > 0 ? Math.min(own, maxBytes) : own);
  return {
    ...limits,
    max_image_size_bytes: most(limits.max_image_size_bytes),
    max_video_size_bytes: most(limits.max_video_size_bytes),
    ...(limits.max_document_size_bytes !== undefined && {
      max_document_size_bytes: most(limits.max_document_size_bytes),
    }),
  };
}

type TextIssues = (text: string, field: string, by: TextRules) => readonly Issue[];

function threadIssues(
  { segments }: OutgoingPost,
  rules: PostRules,
  { textIssues, specs }: Readonly<{ textIssues: TextIssues; specs: Specs }>,
): readonly Issue[] {
  const issues: Issue[] = [];
  const { supported, max_segments: max } = rules.threads;
  if (segments.length > 0 && !supported) issues.push({ field: 'segments', message: 'threads are not supported' });
  if (segments.length + 1 > max && supported)
    issues.push({ field: 'segments', message: `a thread has at most ${max} posts` });
  for (const [index, segment] of segments.entries()) {
    const own: Issue[] = [
      ...textIssues(segment.text, 'text', rules.text),
      ...mediaIssues(segment.media, 'media', rules, specs),
    ];
    if (segment.text.trim() === '' && segment.media.length === 0) own.push({ field: 'text', message: 'is empty' });
    issues.push(...own.map((issue) => ({ ...issue, segment_index: index })));
  }
  return issues;
}

export function issuesOf(
  platform: Platform,
  post: OutgoingPost,
  { check, maxBytes, ...access }: Readonly<{ check: TextCheck; maxBytes: number }> & MediaAccess,
): readonly Issue[] {
  const { posts } = platform;
  if (!posts) return [{ field: 'targets', message: 'posts are not supported on this platform' }];
  const rules = { ...posts.rules, media: bounded(posts.rules.media, maxBytes) };
  const textIssues: TextIssues = (text, field, by) => check(text, by).map((message) => ({ field, message }));
  const specs = new Map(picturesOf(platform, post, access.attached).map(({ item, spec }) => [item, spec]));
  const issues: Issue[] = [
    ...textIssues(post.text, 'text', rules.text),
    ...mediaIssues(post.media, 'media', rules, specs),
    ...attachedIssues(access.attached, rules.media, specs),
  ];
  const { title } = rules;
  // The message names the platform, because the post may go to several.
  const missing = { message: `is required on ${platform.title}` };
  if (title && post.title !== undefined) issues.push(...textIssues(post.title, 'title', textRules(title)));
  if (title?.required && (post.title ?? '').trim() === '') issues.push({ field: 'title', ...missing });
  if (rules.board === 'required' && post.board_id === undefined) issues.push({ field: 'board_id', ...missing });
  if (!rules.text_only && post.media.length === 0)
    issues.push({ field: 'media', message: 'needs an image or a video' });
  if (!rules.visibilities.includes(post.visibility)) {
    issues.push({ field: 'visibility', message: `must be one of: ${rules.visibilities.join(', ')}` });
  }
  if (post.first_comment !== undefined) {
    const { first_comment: rule } = rules;
    if (rule) issues.push(...textIssues(post.first_comment, 'first_comment', textRules(rule)));
    else issues.push({ field: 'first_comment', message: 'is not supported' });
  }
  issues.push(...threadIssues(post, rules, { textIssues, specs }));
  const checked = posts.check?.(expectedPost(platform, post)) ?? [];
  return [...issues, ...unfetchableIssues(platform, post, access), ...checked];
}

export function refusedSources(platform: Platform, refs: readonly MediaRef[]): readonly MediaRef[] {
  const sources = platform.posts?.rules.media.sources ?? [];
  return refs.filter(({ source_type }) => !sources.includes(source_type));
}
