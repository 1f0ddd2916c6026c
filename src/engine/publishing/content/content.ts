import { fold } from '../../../../db/store/dialect.ts';
import { sha256 } from '../../../kernel/sign.ts';
import type { MediaRef } from '../../../call/ports.ts';
import type { OutgoingMedia } from '../../../platforms/media.ts';
import type { OutgoingPost } from '../../../platforms/posts.ts';
import type { PostRow } from '../../../../db/posts/posts.ts';
import type { TargetRow } from '../../../../db/posts/targets.ts';

export type Segment = Readonly<{ text?: string | undefined; media?: readonly MediaRef[] | undefined }>;
export type PlatformData = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

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

/** What a target says differently from its post. */
export type Overrides = Readonly<{
  board_id?: string | undefined;
  text?: string | undefined;
  title?: string | undefined;
  media?: readonly MediaRef[] | undefined;
  first_comment?: string | undefined;
  visibility?: string | undefined;
  platform_data?: Readonly<Record<string, unknown>> | undefined;
}>;

export const parseRefs = (json: string) => JSON.parse(json) as readonly MediaRef[];
export const parseSegments = (json: string) => JSON.parse(json) as readonly Segment[];
export const parseOverrides = (json: string) => JSON.parse(json) as Overrides;

/** The content of a stored post. */
export function contentOf(post: PostRow): Content {
  return {
    text: post.text ?? undefined,
    title: post.title ?? undefined,
    media: parseRefs(post.media),
    visibility: post.visibility,
    first_comment: post.first_comment ?? undefined,
    platform_data: JSON.parse(post.platform_data) as PlatformData,
    segments: parseSegments(post.segments),
  };
}

/** Where a stored post holds its content. */
export function columnsOf(content: Content) {
  return {
    text: content.text ?? null,
    title: content.title ?? null,
    media: JSON.stringify(content.media),
    visibility: content.visibility,
    first_comment: content.first_comment ?? null,
    platform_data: JSON.stringify(content.platform_data),
    segments: JSON.stringify(content.segments),
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

/** Tells media items of a post apart. */
export function refKey({ source_type, source, type }: MediaRef): string {
  return JSON.stringify([source_type, source, type ?? null]);
}

/** The facts of media items by what names them. */
export type Described = ReadonlyMap<string, OutgoingMedia>;

export function describedBy(refs: readonly MediaRef[], facts: readonly OutgoingMedia[]): Described {
  return new Map(refs.map((ref, index) => [refKey(ref), facts[index]!]));
}

/** Content with the kind of each media item, which ids and addresses leave open. */
export function withKinds(content: Content, described: Described): Content {
  const { media, segments } = content;
  return {
    ...content,
    media: kindsOf(media, described),
    segments: segments.map((segment) => overriddenKinds(segment, described)),
  };
}

/** The same for what may have media of its own. */
export function overriddenKinds<T extends Readonly<{ media?: readonly MediaRef[] | undefined }>>(
  part: T,
  described: Described,
): T {
  return part.media ? { ...part, media: kindsOf(part.media, described) } : part;
}

function kindsOf(refs: readonly MediaRef[], described: Described): readonly MediaRef[] {
  return refs.map((ref) => ({ ...ref, type: described.get(refKey(ref))!.kind }));
}

/** What one target publishes: the post with the target's overrides, a thread's first segment being the post. */
export function outgoing(
  content: Content,
  target: Pick<TargetRow, 'platform' | 'page_id'> & { overrides: Overrides },
  described: Described,
): OutgoingPost {
  const { overrides } = target;
  const media = (refs: readonly MediaRef[]) => refs.map((ref) => described.get(refKey(ref))!);
  const segments = content.segments.map((segment) => ({ text: segment.text ?? '', media: media(segment.media ?? []) }));
  const text = overrides.text ?? content.text ?? '';
  const attached = overrides.media ?? content.media;
  const leads = text === '' && attached.length === 0 && segments.length > 0;
  return {
    text: leads ? segments[0]!.text : text,
    title: overrides.title ?? content.title,
    media: leads ? segments[0]!.media : media(attached),
    segments: leads ? segments.slice(1) : segments,
    visibility: overrides.visibility ?? content.visibility,
    first_comment: overrides.first_comment ?? content.first_comment,
    options: { ...content.platform_data[target.platform], ...overrides.platform_data },
    page_id: target.page_id ?? undefined,
  };
}

/** What the duplicate guard compares: one account, one text, the same media. */
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
    ]),
  );
}

/** The case-folded text a search looks in. */
function searchText(content: Content): string {
  const parts = [content.title, content.text, ...content.segments.map((segment) => segment.text)];
  return fold(parts.filter(Boolean).join('\n'));
}
