import { sha256 } from '#kernel/sign.ts';
import type { OutgoingMedia } from '#platforms/media.ts';
import {
  fitsAlready,
  geometryOf,
  misfitOf,
  typesFor,
  type ConvertedPicture,
  type Picture,
  type PictureSpec,
} from '#kernel/pictures/picture.ts';
import type { Platform } from '#platforms/platform.ts';
import type { OutgoingPost } from '#platforms/posts.ts';
import type { AttachedMedia } from './compose.ts';

const NONE = Object.freeze({ fit: 'none' as const });

/** A picture in a post, the name of its field, and the requirements that apply to it there. */
export type PicturePlace = Readonly<{ item: OutgoingMedia; spec: PictureSpec; field: string; segment_index?: number }>;

function specFor({ title, posts }: Platform, post: OutgoingPost): Omit<PictureSpec, 'shape'> {
  const { media } = posts!.rules;
  const { min_aspect_ratio: _min, max_aspect_ratio: _max, ...free } = media.pictures ?? {};
  const rules = posts!.anyShape?.(post) ? free : (media.pictures ?? {});
  return { title, types: media.supported_image_types, max_bytes: media.max_image_size_bytes, rules };
}

/** The requirements for a picture named in platform options; it may have any shape. */
function attachedSpec({ title, posts }: Platform): PictureSpec {
  const { attached_image_types, supported_image_types, max_image_size_bytes } = posts!.rules.media;
  const types = attached_image_types ?? supported_image_types;
  return { title, types, max_bytes: max_image_size_bytes, rules: {}, shape: NONE };
}

export function picturesOf(
  platform: Platform,
  post: OutgoingPost,
  attached: readonly AttachedMedia[] = [],
): readonly PicturePlace[] {
  if (!platform.posts) return [];
  const spec = specFor(platform, post);
  const places = [post, ...post.segments].flatMap(({ media }, part) =>
    media.map((item, at): PicturePlace => ({
      item,
      spec: { ...spec, shape: item.shape ?? NONE },
      field: `media.${at}`,
      ...(part > 0 && { segment_index: part - 1 }),
    })),
  );
  const inside = attachedSpec(platform);
  const others = attached.map(({ media }) => ({ item: media, spec: inside, field: 'platform_data' }));
  return [...places, ...others].filter(({ item, spec: { types } }) => item.kind === 'image' && types.length > 0);
}

/** The known properties of a picture; undefined if the item is no picture or was not measured. */
function pictureOf({ kind, content_type, width, height, size_bytes, traits }: OutgoingMedia): Picture | undefined {
  if (kind !== 'image' || content_type === undefined || width === undefined || height === undefined) return undefined;
  return { content_type, width, height, size_bytes, ...traits };
}

/** Whether the dimensions of a picture are known, as is the case for stored ones. */
export const isMeasured = (item: OutgoingMedia): boolean => pictureOf(item) !== undefined;

/** Why a picture cannot be published even after conversion, as far as its properties show. */
export function pictureMisfit({ item, spec }: Pick<PicturePlace, 'item' | 'spec'>): string | undefined {
  const picture = pictureOf(item);
  return picture && misfitOf(picture, spec);
}

/** Whether it is certain that a picture will be converted before it is published. */
export function isConverted({ item, spec }: Pick<PicturePlace, 'item' | 'spec'>): boolean {
  const picture = pictureOf(item);
  return picture !== undefined && !fitsAlready(picture, spec) && misfitOf(picture, spec) === undefined;
}

/** The expected result of converting a picture; its size in bytes is not known yet. */
function expected(item: OutgoingMedia, spec: PictureSpec): OutgoingMedia {
  const picture = pictureOf(item);
  if (!picture || !isConverted({ item, spec })) return item;
  const placed = geometryOf(picture, spec);
  if ('refused' in placed) return item;
  return { ...item, content_type: typesFor(picture, spec)[0]!, size_bytes: undefined, ...placed.canvas };
}

/** Replaces the media of a post. */
function withMedia(post: OutgoingPost, change: (item: OutgoingMedia) => OutgoingMedia): OutgoingPost {
  const segments = post.segments.map((segment) => ({ ...segment, media: segment.media.map(change) }));
  return { ...post, media: post.media.map(change), segments };
}

/** The post as it will be published, after its pictures have been converted. */
export function expectedPost(platform: Platform, post: OutgoingPost): OutgoingPost {
  const specs = new Map(picturesOf(platform, post).map(({ item, spec }) => [item, spec]));
  return withMedia(post, (item) => (specs.has(item) ? expected(item, specs.get(item)!) : item));
}

/** Whether a picture needs no conversion; false unless its header was read. */
export function fitsAsItIs({ item, spec }: Pick<PicturePlace, 'item' | 'spec'>): boolean {
  const picture = item.traits === undefined ? undefined : pictureOf(item);
  return picture !== undefined && fitsAlready(picture, spec);
}

/** The requirements for each picture of a post, by reference. */
export function specsOf(platform: Platform, post: OutgoingPost): ReadonlyMap<string, PictureSpec> {
  const inside = platform.posts?.attached?.(post.options) ?? [];
  const attached = inside.map((ref) => ({ ref, media: { ref: ref.source, kind: ref.type ?? 'image' } }));
  // If a picture occurs twice, the requirements of its first place apply.
  return new Map(
    picturesOf(platform, post, attached)
      .toReversed()
      .map(({ item, spec }) => [item.ref, spec]),
  );
}

/** The identity of a conversion. */
export function conversionKey({ item: { ref }, spec }: Pick<PicturePlace, 'item' | 'spec'>): string {
  return sha256(JSON.stringify([ref, spec])).slice(0, 32);
}

export function convertedPost(
  platform: Platform,
  post: OutgoingPost,
  converted: readonly ConvertedPicture[],
): OutgoingPost {
  const byKey = new Map(converted.map((one) => [one.key, one]));
  const made = new Map(
    picturesOf(platform, post).map((place) => [place.item, byKey.get(conversionKey(place))] as const),
  );
  return withMedia(post, (item) => {
    const found = made.get(item);
    if (!found) return item;
    const { content_type, size_bytes, width, height } = found;
    return { ...item, content_type, size_bytes, width, height, traits: undefined };
  });
}
