export type MediaKind = 'image' | 'video' | 'audio' | 'file';

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

/** A media item with its bytes; type and dimensions are read from them. */
export type OpenedMedia = Readonly<{
  bytes: Uint8Array;
  content_type: string;
  width?: number | undefined;
  height?: number | undefined;
  duration_ms?: number | undefined;
}>;
