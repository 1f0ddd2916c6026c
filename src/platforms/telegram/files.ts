import type { MediaKind, OpenedMedia } from '../media.ts';
import type { PictureRules } from '#kernel/pictures/picture.ts';
import { unfit } from '../shared/errors.ts';

const MB = 1024 * 1024;
export const LARGEST_IMAGE = 10 * MB;
export const LARGEST_FILE = 50 * MB;

export const IMAGES: readonly string[] = ['image/jpeg', 'image/png', 'image/webp'];
/** Telegram shows GIFs as silent videos. */
export const GIF = 'image/gif';

const LONGEST_SIDES = 10_000;
const MOST_RATIO = 20;

export const FORM: PictureRules = {
  animated: [GIF],
  max_sides: LONGEST_SIDES,
  min_aspect_ratio: 1 / MOST_RATIO,
  max_aspect_ratio: MOST_RATIO,
};

/** Why Telegram rejects a photo's dimensions; undefined if it accepts them or they are unknown. */
function sidesFault({ width, height }: Pick<OpenedMedia, 'width' | 'height'>): string | undefined {
  if (width === undefined || height === undefined) return undefined;
  const sides = `(${width} x ${height})`;
  if (width + height > LONGEST_SIDES) {
    return `has a width and height that add up to more than ${LONGEST_SIDES.toLocaleString('en')} pixels ${sides}`;
  }
  if (Math.max(width / height, height / width) > MOST_RATIO) {
    return `has an aspect ratio beyond ${MOST_RATIO}:1 ${sides}`;
  }
  return undefined;
}

/** How a file is sent: the name of its field, and its type within an album. */
export type Shape = 'photo' | 'video' | 'animation' | 'audio' | 'voice' | 'document';

export const methodOf = (shape: Shape): string => `send${shape[0]!.toUpperCase()}${shape.slice(1)}`;

/** Chooses how to send a file from its actual type and size. */
export function shapeOf(kind: MediaKind, media: OpenedMedia, voice = false): Shape {
  const { content_type: type, size } = media;
  const most = kind === 'image' && IMAGES.includes(type) ? LARGEST_IMAGE : LARGEST_FILE;
  if (size > most) throw unfit(`Telegram accepts ${kind}s of at most ${most / MB} MB.`);
  if (kind === 'image' && type === GIF) return 'animation';
  if (kind === 'image' && IMAGES.includes(type)) {
    const fault = sidesFault(media);
    if (fault !== undefined) throw unfit(`The image ${fault}.`);
    return 'photo';
  }
  if (kind === 'video' && type === 'video/mp4') return 'video';
  if (kind === 'audio') return voice ? 'voice' : 'audio';
  return 'document';
}
