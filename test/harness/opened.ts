import { Readable } from 'node:stream';
import type { OpenedMedia } from '#platforms/media.ts';

/** A media item as the engine opens it for a connector. */
export function opened(
  bytes: Uint8Array,
  content_type: string,
  more: Partial<Pick<OpenedMedia, 'width' | 'height' | 'duration_ms' | 'filename'>> = {},
): OpenedMedia {
  const size = bytes.byteLength;
  return {
    ...more,
    content_type,
    size,
    bytes: async () => bytes,
    read: async (from, length) => bytes.subarray(from, from + length),
    stream: (from = 0, to = size - 1) => Readable.from([bytes.subarray(from, to + 1)], { objectMode: false }),
  };
}

/** What the engine gives a call besides its account, where nothing is kept and no address is needed. */
export const bareCall = Object.freeze({
  sentAt: 0,
  kept: undefined,
  keep: async () => {},
  link: () => Promise.reject(new Error('no address')),
});
