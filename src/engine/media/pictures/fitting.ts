import { open, stat } from 'node:fs/promises';
import sharp, { type Sharp } from 'sharp';
import {
  geometryOf,
  mostBytes,
  scaledBy,
  typesFor,
  type Geometry,
  type PictureRules,
  type PictureSpec,
} from '#kernel/pictures/picture.ts';
import { decode, type Decoded } from './decoding.ts';
import { RefusedError, type Made, type PictureTask } from './tasks.ts';

type Placed = Exclude<Geometry, Readonly<{ refused: string }>>;
/** A picture in its new shape; `at` starts a pipeline with its pixels, scaled by a factor. */
type Drawing = Readonly<{ picture: Decoded; placed: Placed; spec: PictureSpec; at(factor: number): Sharp }>;

/** Quality in percent, and the approximate size compared with the first step. */
const STEPS = [
  { quality: 90, share: 1 },
  { quality: 80, share: 0.6 },
  { quality: 70, share: 0.45 },
] as const;
const WHITE = '#ffffff';
/** Up to this size, decoded pixels are kept between attempts: 16 megapixels of RGB. */
const MOST_KEPT_BYTES = 50_331_648;
/** Enough rounds to reduce a file of a gigabyte to a few kilobytes. */
const MOST_ROUNDS = 12;

/** Writes a picture that satisfies `spec`; the same picture always gives the same bytes. */
export async function fit({
  from,
  type,
  to,
  spec,
  keepMetadata,
}: Extract<PictureTask, { kind: 'fit' }>): Promise<Made> {
  const picture = await decode(from, type);
  const placed = geometryOf(picture, spec);
  if ('refused' in placed) throw new RefusedError(placed.refused);
  const drawing = { picture, placed, spec, at: await draw(picture, placed, { spec, keepMetadata }) };
  const hasAlpha = picture.hasAlpha && !(await isOpaque(picture));
  const types = typesFor(picture, spec, hasAlpha);
  if (types.length === 0) throw new RefusedError(refusedType(picture, spec));
  for (const into of types) {
    const made = await encode(drawing, into, hasAlpha);
    if (made) return write(to, into, made);
  }
  throw new RefusedError(`cannot be brought to a size that ${spec.title} accepts`);
}

function refusedType({ animated, content_type }: Decoded, { title, types }: PictureSpec): string {
  return animated
    ? `is animated, and ${title} accepts still pictures only`
    : `type ${content_type} is not supported (${types.join(', ')})`;
}

async function isOpaque({ open: begin }: Decoded): Promise<boolean> {
  return (await begin('first').stats()).isOpaque;
}

type Encoded = Readonly<{ data: Buffer; width: number; height: number }>;

/** Encodes a type as large and as well as its size limits allow; undefined if no form fits. */
async function encode(drawing: Drawing, type: string, hasAlpha: boolean): Promise<Encoded | undefined> {
  const most = mostBytes(drawing.spec, type);
  const { min_size_bytes: least = 0 } = drawing.spec.rules;
  const isLossy = type === 'image/jpeg' || type === 'image/webp';
  // As PNG, a photo would have to become very small; the next type keeps its dimensions.
  const mayShrink = isLossy || hasAlpha || drawing.picture.animated === true;
  for (let factor = 1, round = 0; round < MOST_ROUNDS; round += 1) {
    const first = await encodeAt(drawing, type, factor, STEPS[0].quality);
    if (first.data.length < least) return isLossy ? largest(drawing, type, { factor, least, most }) : undefined;
    if (first.data.length <= most) return first;
    let smallest = first.data.length;
    for (const { quality, share } of isLossy ? STEPS.slice(1) : []) {
      if (first.data.length * share > most * 1.5) continue;
      const next = await encodeAt(drawing, type, factor, quality);
      if (next.data.length <= most) return next;
      smallest = next.data.length;
    }
    if (!mayShrink) return undefined;
    factor *= Math.min(Math.max(Math.sqrt(most / smallest) * 0.95, 0.2), 0.9);
  }
  return undefined;
}

/** Encodes with the highest quality, for platforms that refuse small files. */
async function largest(
  drawing: Drawing,
  type: string,
  { factor, least, most }: Readonly<{ factor: number; least: number; most: number }>,
): Promise<Encoded | undefined> {
  const made = await encodeAt(drawing, type, factor, 100);
  return made.data.length >= least && made.data.length <= most ? made : undefined;
}

async function encodeAt(
  { picture, placed, spec, at }: Drawing,
  type: string,
  factor: number,
  quality: number,
): Promise<Encoded> {
  const image =
    type === 'image/jpeg' && picture.hasAlpha ? at(factor).flatten({ background: backgroundOf(spec) }) : at(factor);
  const { width, height } = scaledBy(placed, factor, spec.rules).canvas;
  const isLarge = width * height * 3 > MOST_KEPT_BYTES;
  const { data, info } = await format(image, type, { quality, isLarge }).toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.pageHeight ?? info.height };
}

const backgroundOf = ({ shape }: PictureSpec) => (shape.fit === 'pad' ? shape.background : WHITE);

type Wanted = Readonly<{ spec: PictureSpec; keepMetadata: boolean }>;

async function draw(picture: Decoded, placed: Placed, { spec, keepMetadata }: Wanted): Promise<Drawing['at']> {
  const from = (factor: number) =>
    placedAt(picture, placed, { factor, background: backgroundOf(spec), rules: spec.rules });
  if (keepMetadata) return (factor) => from(factor).keepExif().keepXmp();
  const { canvas } = placed;
  if (picture.animated || canvas.width * canvas.height * 3 > MOST_KEPT_BYTES) return from;
  const { data, info } = await from(1).raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
  return (factor) => {
    const { width, height } = scaledBy(placed, factor, spec.rules).canvas;
    const kept = sharp(data, { raw: { width: info.width, height: info.height, channels: info.channels } });
    return factor === 1 ? kept : kept.resize(width, height, { fit: 'fill' });
  };
}

function placedAt(
  picture: Decoded,
  placed: Placed,
  { factor, background, rules }: Readonly<{ factor: number; background: string; rules: PictureRules }>,
): Sharp {
  const { cut } = placed;
  const { inner, canvas } = scaledBy(placed, factor, rules);
  const isWhole = cut.width === picture.width && cut.height === picture.height;
  const isScaled = inner.width !== cut.width || inner.height !== cut.height;
  const [left, top] = [(canvas.width - inner.width) >> 1, (canvas.height - inner.height) >> 1];
  const [right, bottom] = [canvas.width - inner.width - left, canvas.height - inner.height - top];
  let image = picture.open();
  if (!isWhole) image = image.extract(cut);
  if (isScaled) image = image.resize(inner.width, inner.height, { fit: 'fill' });
  if (left + top + right + bottom > 0) image = image.extend({ left, top, right, bottom, background });
  return image.toColourspace('srgb');
}

type Form = Readonly<{ quality: number; isLarge: boolean }>;

function format(image: Sharp, type: string, { quality, isLarge }: Form): Sharp {
  switch (type) {
    case 'image/png':
      return image.png({ compressionLevel: 9 });
    case 'image/webp':
      return image.webp({ quality, effort: 4 });
    case 'image/gif':
      return image.gif();
    default:
      // Best coding keeps six bytes for each pixel until the end, to make a file a twentieth smaller.
      return image.jpeg({
        quality,
        chromaSubsampling: quality > 90 ? '4:4:4' : '4:2:0',
        optimiseCoding: !isLarge,
      });
  }
}

/** Writes a small WebP of the first frame; a very tall picture becomes narrower than `width`. */
export async function thumbnail({ from, type, to, width }: Extract<PictureTask, { kind: 'thumbnail' }>): Promise<Made> {
  const picture = await decode(from, type);
  const image = picture
    .open('first')
    .resize(width, width * 2, { fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .webp({ quality: 75, effort: 4 });
  const { data, info } = await image.toBuffer({ resolveWithObject: true });
  return write(to, 'image/webp', { data, width: info.width, height: info.height });
}

/** Flushes the file before reporting it. */
async function write(to: string, content_type: string, { data, width, height }: Encoded): Promise<Made> {
  const file = await open(to, 'wx', 0o600);
  try {
    await file.writeFile(data);
    await file.sync();
  } finally {
    await file.close();
  }
  return { content_type, width, height, size_bytes: (await stat(to)).size };
}
