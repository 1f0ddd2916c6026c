import type { MediaKind, OpenedMedia } from '../media.ts';
import { unfit } from '../shared/errors.ts';

export const MB = 1024 * 1024;
export const LARGEST_IMAGE = 10 * MB;
export const LARGEST_FILE = 50 * MB;

export const IMAGES: readonly string[] = ['image/jpeg', 'image/png', 'image/webp'];
/** Shown as a film without sound. */
export const GIF = 'image/gif';

/** How a file is sent: the field and the word of an album it has in the Bot API. */
export type Shape = 'photo' | 'video' | 'animation' | 'audio' | 'voice' | 'document';

/** The method that sends a file of a shape. */
export const methodOf = (shape: Shape): string => `send${shape[0]!.toUpperCase()}${shape.slice(1)}`;

/** What a file is to Telegram, by its bytes. */
export function shapeOf(kind: MediaKind, { content_type: type, size }: OpenedMedia, voice = false): Shape {
  const most = kind === 'image' && IMAGES.includes(type) ? LARGEST_IMAGE : LARGEST_FILE;
  if (size > most) throw unfit(`Telegram takes ${kind}s of at most ${most / MB} MB.`);
  if (kind === 'image' && type === GIF) return 'animation';
  if (kind === 'image' && IMAGES.includes(type)) return 'photo';
  if (kind === 'video' && type === 'video/mp4') return 'video';
  if (kind === 'audio') return voice ? 'voice' : 'audio';
  return 'document';
}
