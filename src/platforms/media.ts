import type { Readable } from 'node:stream';

export type MediaKind = 'image' | 'video' | 'audio' | 'file';

/** A media item as callers name it. */
export type MediaRef = Readonly<{
  source: string;
  source_type: 'url' | 'media_id' | 'platform_attachment_id';
  type?: MediaKind | undefined;
}>;

/** Whether what names an item is its address. */
export function isUrl(ref: string): boolean {
  return /^https?:/i.test(ref);
}

/** An address at which a platform fetches an item, and for how many minutes it has to work: at least an hour. */
export type LinkRequest = Readonly<{
  minutes: number;
  /** The address has to be one of this server, even if the item has a public one of its own. */
  rehost?: true;
}>;

/** A media item of a post, as it is known before its bytes are read. */
export type OutgoingMedia = Readonly<{
  /** What `open` takes. */
  ref: string;
  kind: MediaKind;
  /** Properties of stored items; those of a URL are unknown until it is opened. */
  content_type?: string | undefined;
  size_bytes?: number | undefined;
  width?: number | undefined;
  height?: number | undefined;
  duration_ms?: number | undefined;
  filename?: string | undefined;
}>;

/** A media item that can be read until the call ends; type and dimensions are those of its bytes. */
export type OpenedMedia = Readonly<{
  size: number;
  /** All bytes; media above 32 MiB are refused. */
  bytes(): Promise<Uint8Array>;
  /** The bytes of a range; fewer only where the item ends. */
  read(from: number, length: number): Promise<Uint8Array>;
  /** Streams from one byte to another, both included; by default all of them. */
  stream(from?: number, to?: number): Readable;
  content_type: string;
  width?: number | undefined;
  height?: number | undefined;
  duration_ms?: number | undefined;
  filename?: string | undefined;
}>;
