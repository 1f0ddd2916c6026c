import sharp, { type Metadata } from 'sharp';
import { expect } from 'vitest';
import { mostBytes, type PictureSpec } from '#kernel/pictures/picture.ts';

/** Of 255, on average over all points and colours of a small copy. */
const MOST_DISTANCE = 14;
/** Of a few points, which JPEG gives one colour. */
const MOST_DISTANCE_OF_TINY = 45;
const TINY = 16;
const SMALL = 12;

type Sides = Readonly<{ width: number; height: number }>;

/** What an independent reader sees of a picture against the rules of a platform. */
export function faultsOf(
  seen: Metadata,
  size: number,
  { types, max_bytes, rules }: Pick<PictureSpec, 'types' | 'max_bytes' | 'rules'>,
): readonly string[] {
  const type = `image/${seen.format === 'heif' ? 'avif' : seen.format}`;
  const { width, height } = sidesOf(seen);
  const slack = (limit: number) => (Number.isInteger(limit) || Number.isInteger(1 / limit) ? 1 : 1.006);
  const { min_aspect_ratio: least = 0, max_aspect_ratio: most = Infinity } = rules;
  const isAnimated = (seen.pages ?? 1) > 1;
  const holds: Record<string, boolean> = {
    type: types.includes(type),
    size: size <= mostBytes({ max_bytes, rules }, type) && size >= (rules.min_size_bytes ?? 0),
    upright: (seen.orientation ?? 1) === 1,
    'without private data': seen.exif === undefined && seen.xmp === undefined && seen.iptc === undefined,
    colours: ['srgb', 'b-w'].includes(seen.space) && seen.depth === 'uchar',
    still: !isAnimated || rules.animated?.includes(type) === true,
    pixels: width * height <= (rules.max_pixels ?? Infinity),
    sides:
      width + height <= (rules.max_sides ?? Infinity) &&
      Math.min(width, height) <= (rules.max_shorter_side ?? Infinity),
    shape: width / height >= least / slack(least) && width / height <= most * slack(most),
  };
  return Object.keys(holds).filter((name) => !holds[name]);
}

/** Of an animation those of one frame. */
export const sidesOf = ({ width, height, pageHeight }: Metadata): Sides => ({ width, height: pageHeight ?? height });

/** A small copy, upright, on white. */
export async function smallOf(bytes: Buffer): Promise<Buffer> {
  const upright = sharp(bytes).autoOrient().flatten({ background: '#ffffff' }).toColourspace('srgb');
  const plain = await upright.removeAlpha().png().toBuffer();
  return sharp(plain).resize(SMALL, SMALL, { fit: 'fill', kernel: 'cubic' }).raw().toBuffer();
}

type Original = Sides & Readonly<{ small: Buffer }>;

/** Expects a picture that was neither cut nor extended to look like its original. */
export async function expectSameLook(about: readonly unknown[], original: Original, bytes: Buffer): Promise<void> {
  const { width, height } = sidesOf(await sharp(bytes).metadata());
  const isWhole = Math.abs(width / height / (original.width / original.height) - 1) < 0.05;
  if (!isWhole) return;
  const most = Math.min(original.width, original.height) < TINY ? MOST_DISTANCE_OF_TINY : MOST_DISTANCE;
  const apart = distance(original.small, await smallOf(bytes));
  expect([...about, apart < most || apart]).toEqual([...about, true]);
}

const distance = (one: Buffer, other: Buffer) =>
  one.reduce((sum, value, at) => sum + Math.abs(value - other[at]!), 0) / one.length;
