import type { Readable } from 'node:stream';
import type { PictureShape, PictureTraits } from '#kernel/pictures/picture.ts';

export type MediaKind = 'image' | 'video' | 'audio' | 'file';

export type MediaRef = Readonly<{
  source: string;
  source_type: 'url' | 'media_id' | 'platform_attachment_id';
  type?: MediaKind | undefined;
  /** What becomes of a picture whose shape a platform does not take. */
  fit?: PictureShape['fit'] | undefined;
  /** The colour around a padded picture, and of what is transparent. */
  background?: string | undefined;
  /** What stays in a cropped picture, from 0 to 1 of its width and height. */
  focus?: Readonly<{ x: number; y: number }> | undefined;
}>;

const WHITE = '#ffffff';
const MIDDLE = Object.freeze({ x: 0.5, y: 0.5 });

/** The shape that was chosen, with its defaults. */
export function shapeOf({ fit, background = WHITE, focus = MIDDLE }: MediaRef): PictureShape | undefined {
  if (fit === 'pad') return { fit, background };
  return fit === 'crop' ? { fit, focus } : undefined;
}

/** Whether the name of an item is its URL. */
export function isUrl(ref: string): boolean {
  return /^https?:/i.test(ref);
}

/** A URL for fetching an item, and for how many minutes it must work: at least an hour. */
export type LinkRequest = Readonly<{
  minutes: number;
  /** Requires a URL of this server, even if the item has a public one. */
  rehost?: true;
  /** The platform may fetch it after the post is published: the file stays as long as the URL. */
  lasting?: true;
}>;

/** A media item of a post, before its bytes are read. */
export type OutgoingMedia = Readonly<{
  ref: string;
  kind: MediaKind;
  /** Properties of stored items; those of a URL are unknown until it is opened. */
  content_type?: string | undefined;
  size_bytes?: number | undefined;
  width?: number | undefined;
  height?: number | undefined;
  duration_ms?: number | undefined;
  filename?: string | undefined;
  /** Of pictures: what platforms may not take of them, and the shape they may get. */
  traits?: PictureTraits | undefined;
  shape?: PictureShape | undefined;
}>;

/** A media item that is readable until the call ends; type and dimensions are those of its bytes. */
export type OpenedMedia = Readonly<{
  size: number;
  /** All bytes; media above 32 MiB are refused. */
  bytes(): Promise<Uint8Array>;
  /** The bytes of a range; fewer only at the end of the item. */
  read(from: number, length: number): Promise<Uint8Array>;
  /** Streams an inclusive range; by default everything. */
  stream(from?: number, to?: number): Readable;
  content_type: string;
  width?: number | undefined;
  height?: number | undefined;
  duration_ms?: number | undefined;
  filename?: string | undefined;
}>;
