import type { MediaRef, Overrides, PlatformData, Segment } from '#db/schema/database.ts';
import { fold } from '#db/store/dialect.ts';
import { sha256 } from '#kernel/sign.ts';
import type { PostRow } from '#db/posts/posts.ts';

/** What is to be published, as callers say it. */
export type Content = Readonly<{
  text?: string | undefined;
  title?: string | undefined;
  media: readonly MediaRef[];
  visibility: string;
  first_comment?: string | undefined;
  platform_data: PlatformData;
  segments: readonly Segment[];
}>;

/** The content of a stored post. */
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

/** Where a stored post holds its content. */
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

/** True when there is something to publish. */
export function hasContent(content: Content, overrides: Overrides = {}): boolean {
  const text = overrides.text ?? content.text ?? '';
  const media = overrides.media ?? content.media;
  return (
    text.trim() !== '' || media.length > 0 || content.segments.some((part) => part.text?.trim() || part.media?.length)
  );
}

/** Every media item a post and its targets name. */
export function refsOf(content: Content, overrides: readonly Overrides[]): readonly MediaRef[] {
  return [
    ...content.media,
    ...content.segments.flatMap((segment) => segment.media ?? []),
    ...overrides.flatMap((override) => override.media ?? []),
  ];
}

/** The stored media items among those named. */
export function mediaIdsOf(refs: readonly MediaRef[]): string[] {
  return refs.filter(({ source_type }) => source_type === 'media_id').map(({ source }) => source);
}

/** The identity of a media item within a post. */
export function refKey({ source_type, source, type }: MediaRef): string {
  return JSON.stringify([source_type, source, type ?? null]);
}

/** What the duplicate guard compares: one account, one text, the same media, one board where there are any. */
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

/** The case-folded text a search looks in. */
function searchText(content: Content): string {
  const parts = [content.title, content.text, ...content.segments.map((segment) => segment.text)];
  return fold(parts.filter(Boolean).join('\n'));
}
