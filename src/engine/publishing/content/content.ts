import type { MediaRef, Overrides, PlatformData, Segment } from '#db/schema/database.ts';
import { fold } from '#db/store/dialect.ts';
import { sha256 } from '#kernel/sign.ts';
import type { PostRow } from '#db/posts/posts.ts';

export type Content = Readonly<{
  text?: string | undefined;
  title?: string | undefined;
  media: readonly MediaRef[];
  visibility: string;
  first_comment?: string | undefined;
  platform_data: PlatformData;
  segments: readonly Segment[];
}>;

export function contentOf(post: PostRow): Content {
  return {
    text: post.text ?? undefined,
    title: post.title ?? undefined,
    media: post.media,
    visibility: post.visibility,
    first_comment: post.first_comment ?? undefined,
    platform_data: post.platform_data,
    segments: post.segments,
  };
}

export function columnsOf(content: Content) {
  return {
    text: content.text ?? null,
    title: content.title ?? null,
    media: content.media,
    visibility: content.visibility,
    first_comment: content.first_comment ?? null,
    platform_data: content.platform_data,
    segments: content.segments,
    search: searchText(content),
  };
}

export function hasContent(content: Content, overrides: Overrides = {}): boolean {
  const text = overrides.text ?? content.text ?? '';
  const media = overrides.media ?? content.media;
  return (
    text.trim() !== '' || media.length > 0 || content.segments.some((part) => part.text?.trim() || part.media?.length)
  );
}

/** Every media item of a post and its targets. */
export function refsOf(content: Content, overrides: readonly Overrides[]): readonly MediaRef[] {
  return [
    ...content.media,
    ...content.segments.flatMap((segment) => segment.media ?? []),
    ...overrides.flatMap((override) => override.media ?? []),
  ];
}

export function mediaIdsOf(refs: readonly MediaRef[]): string[] {
  return refs.filter(({ source_type }) => source_type === 'media_id').map(({ source }) => source);
}

/** The identity of a media item within a post. */
export function refKey({ source_type, source, type, fit, background, focus }: MediaRef): string {
  return JSON.stringify([source_type, source, type ?? null, ...(fit ? [fit, background, focus] : [])]);
}

/** What the duplicate guard compares: the page, text, media and, if any, the board. */
export function fingerprint(
  content: Content,
  accountId: string,
  pageId: string | undefined,
  overrides: Overrides,
): string {
  const mediaOf = (refs: readonly MediaRef[]) => refs.map(({ source_type, source }) => [source_type, source]);
  return sha256(
    JSON.stringify([
      accountId,
      pageId ?? '',
      overrides.text ?? content.text ?? '',
      overrides.title ?? content.title ?? '',
      mediaOf(overrides.media ?? content.media),
      content.segments.map((segment) => [segment.text ?? '', mediaOf(segment.media ?? [])]),
      ...(overrides.board_id === undefined ? [] : [overrides.board_id]),
    ]),
  );
}

function searchText(content: Content): string {
  const parts = [content.title, content.text, ...content.segments.map((segment) => segment.text)];
  return fold(parts.filter(Boolean).join('\n'));
}
