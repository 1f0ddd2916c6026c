import type { MediaRef, Overrides } from '#db/schema/database.ts';
import { platformFor } from '#platforms/lookup.ts';
import type { OutgoingMedia } from '#platforms/media.ts';
import type { Platform } from '#platforms/platform.ts';
import type { OutgoingPost } from '#platforms/posts.ts';
import type { AddressedTarget, ComposeDeps } from './addressing.ts';
import { refKey, refsOf, type Content } from './content.ts';

/** A post with described media, and what each target would publish. */
export type ComposedPost = Readonly<{
  content: Content;
  targets: readonly ComposedTarget[];
  /** The media named in platform options. */
  attached: readonly MediaRef[];
}>;

export type ComposedTarget = Readonly<{
  /** The target, with the detected kind of each of its own media items. */
  target: AddressedTarget;
  platform: Platform;
  outgoing: OutgoingPost;
  attached: readonly AttachedMedia[];
}>;

/** An item named in platform options; if `ref.type` is set, the item must be of that type. */
export type AttachedMedia = Readonly<{ ref: MediaRef; media: OutgoingMedia }>;

export type DescribedMedia = ReadonlyMap<string, OutgoingMedia>;

export function describedBy(refs: readonly MediaRef[], descriptions: readonly OutgoingMedia[]): DescribedMedia {
  return new Map(refs.map((ref, index) => [refKey(ref), descriptions[index]!]));
}

/** Looks up a post's media and composes each target; refuses media that are unknown or not ready. */
export async function composePost(
  { media, platforms }: Pick<ComposeDeps, 'media' | 'platforms'>,
  workspaceId: string,
  content: Content,
  targets: readonly AddressedTarget[],
): Promise<ComposedPost> {
  const addressed = targets.map((target) => {
    const platform = platformFor(platforms, target.account)!;
    return { target, platform, attached: attachedTo(platform, content, target.overrides) };
  });
  const attached = addressed.flatMap((one) => one.attached);
  const own = refsOf(
    content,
    targets.map(({ overrides }) => overrides),
  );
  const all = [...own, ...attached];
  const described = describedBy(all, await media.describe(workspaceId, all));
  return {
    content: {
      ...content,
      media: withKinds(content.media, described),
      segments: content.segments.map((segment) => withOwnKinds(segment, described)),
    },
    targets: addressed.map(({ target, platform, attached: refs }) => ({
      platform,
      attached: withMedia(refs, described),
      target: { ...target, overrides: withOwnKinds(target.overrides, described) },
      outgoing: outgoing(content, { ...target, platform: target.account.platform }, described),
    })),
    attached,
  };
}

/** Attached items with their descriptions, except those not found. */
export function withMedia(refs: readonly MediaRef[], described: DescribedMedia): readonly AttachedMedia[] {
  return refs.flatMap((ref) => {
    const media = described.get(refKey(ref));
    return media === undefined ? [] : [{ ref, media }];
  });
}

/** The media that a post's options for a platform name, such as a cover. */
export function attachedTo(
  platform: Pick<Platform, 'slug' | 'posts'> | undefined,
  content: Content,
  overrides: Overrides,
): readonly MediaRef[] {
  return platform?.posts?.attached?.(optionsFor(platform.slug, content, overrides)) ?? [];
}

export function optionsFor(platform: string, content: Content, overrides: Overrides): OutgoingPost['options'] {
  return { ...content.platform_data[platform], ...overrides.platform_data };
}

function withKinds(refs: readonly MediaRef[], described: DescribedMedia): readonly MediaRef[] {
  return refs.map((ref) => ({ ...ref, type: described.get(refKey(ref))!.kind }));
}

function withOwnKinds<T extends Readonly<{ media?: readonly MediaRef[] | undefined }>>(
  part: T,
  described: DescribedMedia,
): T {
  return part.media ? { ...part, media: withKinds(part.media, described) } : part;
}

/** What one target publishes, with its overrides; without a text or media, a thread begins with its first segment. */
export function outgoing(
  content: Content,
  target: Readonly<{ platform: string; page_id: string | null | undefined; overrides: Overrides }>,
  described: DescribedMedia,
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
    options: optionsFor(target.platform, content, overrides),
    page_id: target.page_id ?? undefined,
    board_id: overrides.board_id,
  };
}
