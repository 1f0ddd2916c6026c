import type { Readable } from 'node:stream';
import type { PictureShape, PictureTraits } from '#kernel/pictures/picture.ts';

export type MediaKind = 'image' | 'video' | 'audio' | 'file';

export type MediaRef = Readonly<{
  source: string;
  source_type: 'url' | 'media_id' | 'platform_attachment_id';
  type?: MediaKind | undefined;
  /** How a picture is changed if the platform does not accept its shape. */
  fit?: PictureShape['fit'] | undefined;
  /** The colour of the padding and of transparent areas. */
  background?: string | undefined;
  /** The centre of interest when a picture is cropped, as fractions of its width and height. */
  focus?: Readonly<{ x: number; y: number }> | undefined;
}>;

const WHITE = '#ffffff';
const MIDDLE = Object.freeze({ x: 0.5, y: 0.5 });

/** The requested shape with its defaults. */
export function shapeOf({ fit, background = WHITE, focus = MIDDLE }: MediaRef): PictureShape | undefined {
  if (fit === 'pad') return { fit, background };
  return fit === 'crop' ? { fit, focus } : undefined;
}

/** Whether a reference to an item is a URL. */
export function isUrl(ref: string): boolean {
  return /^https?:/i.test(ref);
}

/** A request for a URL of an item; it works for `minutes`, at least an hour. */
export type LinkRequest = Readonly<{
  minutes: number;
  /** Requires a URL of this server even if the item has a public URL. */
  rehost?: true;
  /** The platform may fetch the file after publishing, so the file is kept as long as the URL works. */
  lasting?: true;
}>;

/** A media item of a post, before its bytes are read. */
export type OutgoingMedia = Readonly<{
  ref: string;
  kind: MediaKind;
  /** Properties of a stored item; for an item given by URL, they are unknown until it is opened. */
  content_type?: string | undefined;
  size_bytes?: number | undefined;
  width?: number | undefined;
  height?: number | undefined;
  duration_ms?: number | undefined;
  filename?: string | undefined;
  /** For pictures: the traits that platforms may reject, and the requested shape. */
  traits?: PictureTraits | undefined;
  shape?: PictureShape | undefined;
}>;

/** A media item that stays readable until the call ends; type and dimensions are read from its bytes. */
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
