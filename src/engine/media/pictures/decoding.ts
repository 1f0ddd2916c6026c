import sharp, { type Metadata, type Sharp } from 'sharp';
import { isHeic, MOST_PIXELS, type Picture } from '#kernel/pictures/picture.ts';
import { readHeic } from './heic.ts';
import { RefusedError } from './tasks.ts';

/** A picture whose header was read; `open` starts a pipeline with its upright pixels, including all frames. */
export type Decoded = Picture & Readonly<{ hasAlpha: boolean; open(frames?: 'first'): Sharp }>;

const OPTIONS = { failOn: 'error', limitInputPixels: MOST_PIXELS, sequentialRead: true } as const;
const PLAIN: ReadonlySet<string> = new Set(['srgb', 'b-w', 'rgb']);
const MOVING: ReadonlySet<string> = new Set(['image/gif', 'image/webp']);

/** Reads the header of a picture; refuses pictures that are too large to decode. */
export async function decode(path: string, type: string): Promise<Decoded> {
  if (isHeic(type)) return decodeHeic(path, type);
  const header = await sharp(path, { limitInputPixels: false }).metadata();
  const { pages = 1, autoOrient: size, orientation = 1, hasAlpha } = header;
  const animated = pages > 1 && MOVING.has(type);
  if (size.width * size.height > MOST_PIXELS) {
    throw new RefusedError(`has more than ${MOST_PIXELS / 1_000_000} million pixels`);
  }
  return {
    content_type: type,
    ...size,
    animated,
    turned: orientation > 1,
    unusual: isUnusual(header),
    hasAlpha,
    open: (frames) => sharp(path, { ...OPTIONS, animated: animated && frames === undefined }).autoOrient(),
  };
}

/** Decodes a HEIC picture completely, not only when `open` is called. */
async function decodeHeic(path: string, content_type: string): Promise<Decoded> {
  const { tiff, ...picture } = await readHeic(path);
  const open = () => (picture.hasAlpha ? sharp(tiff, OPTIONS) : sharp(tiff, OPTIONS).removeAlpha());
  return { content_type, ...picture, open };
}

function isUnusual({ space, depth }: Metadata): boolean {
  return !PLAIN.has(space) || depth !== 'uchar';
}
