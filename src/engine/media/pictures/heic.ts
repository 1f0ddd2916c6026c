import { readFile, stat } from 'node:fs/promises';
import { RefusedError, UNREADABLE } from './tasks.ts';

/** Upright pixels as an uncompressed TIFF, with the profile of its colours. */
export type HeicPicture = Readonly<{ width: number; height: number; hasAlpha: boolean; tiff: Buffer }>;

const MEGA = 1_000_000;
/** Phones take pictures of 48 megapixels; the decoder needs twelve bytes for each pixel. */
const MOST_PIXELS = 50 * MEGA;
const MOST_BYTES = 100 * MEGA;
const MOST_HEADER_BYTES = 1_048_576;
const MOST_PROFILE_BYTES = 262_144;
const CHANNELS = 4;
const MISSING =
  'is HEIC, which this server cannot convert without the package libheif-js (npm install --include=optional): ' +
  'on an iPhone, Settings > Camera > Formats > Most Compatible makes JPEGs, and exporting a photo as JPEG converts it';

/** Decodes the primary picture of a HEIC file. */
export async function readHeic(path: string): Promise<HeicPicture> {
  const { default: libheif } = await import('libheif-js/wasm-bundle.js').catch(() => {
    throw new RefusedError(MISSING);
  });
  if ((await stat(path)).size > MOST_BYTES) throw new RefusedError(`is HEIC of more than ${MOST_BYTES / MEGA} MB`);
  const bytes = await readFile(path);
  const images = new libheif.HeifDecoder().decode(bytes);
  const image = images.find((one) => one.is_primary());
  if (image === undefined) throw new RefusedError(UNREADABLE);
  const [width, height] = [image.get_width(), image.get_height()];
  if (width * height > MOST_PIXELS) {
    throw new RefusedError(`is HEIC of more than ${MOST_PIXELS / MEGA} million pixels`);
  }
  const { tiff, pixels } = makeTiff(width, height, profileOf(bytes));
  const shown = await new Promise((resolve) => image.display({ data: pixels, width, height }, resolve));
  if (shown === null) throw new RefusedError(UNREADABLE);
  return { width, height, hasAlpha: image.has_alpha_channel(), tiff };
}

/** The first colour profile in a file; all of its pictures share the same one. */
function profileOf(bytes: Buffer): Buffer {
  const at = bytes.subarray(0, MOST_HEADER_BYTES).indexOf('colrprof', 0, 'latin1');
  const length = at < 4 ? 0 : bytes.readUInt32BE(at - 4) - 12;
  return length > 0 && length <= MOST_PROFILE_BYTES ? bytes.subarray(at + 8, at + 8 + length) : Buffer.alloc(0);
}

const [SHORT, LONG, UNDEFINED] = [3, 4, 7];
const ROWS = 64;

/** An uncompressed RGBA TIFF (TIFF 6.0) with empty space for the pixels. */
function makeTiff(width: number, height: number, profile: Buffer) {
  const strips = Math.ceil(height / ROWS);
  const row = width * CHANNELS;
  const depths = 8 + 2 + 12 * 12 + 4;
  const offsets = depths + 2 * CHANNELS;
  const counts = offsets + 4 * strips;
  const start = counts + 4 * strips + profile.length;
  const at = (place: number, count: number, value: number) => (count === 1 ? value : place);
  const entries = [
    [256, LONG, 1, width],
    [257, LONG, 1, height],
    [258, SHORT, CHANNELS, depths],
    [259, SHORT, 1, 1],
    [262, SHORT, 1, 2],
    [273, LONG, strips, at(offsets, strips, start)],
    [277, SHORT, 1, CHANNELS],
    [278, LONG, 1, ROWS],
    [279, LONG, strips, at(counts, strips, row * height)],
    [284, SHORT, 1, 1],
    [338, SHORT, 1, 2],
    ...(profile.length > 0 ? [[34_675, UNDEFINED, profile.length, start - profile.length] as const] : []),
  ] as const;
  const tiff = Buffer.alloc(start + row * height);
  tiff.write('II*\0', 'latin1');
  tiff.writeUInt32LE(8, 4);
  tiff.writeUInt16LE(entries.length, 8);
  for (const [index, [tag, type, count, value]] of entries.entries()) {
    const place = 10 + 12 * index;
    tiff.writeUInt16LE(tag, place);
    tiff.writeUInt16LE(type, place + 2);
    tiff.writeUInt32LE(count, place + 4);
    tiff.writeUInt32LE(value, place + 8);
  }
  for (let channel = 0; channel < CHANNELS; channel += 1) tiff.writeUInt16LE(8, depths + 2 * channel);
  for (let strip = 0; strip < strips; strip += 1) {
    const rows = Math.min(ROWS, height - strip * ROWS);
    tiff.writeUInt32LE(start + strip * ROWS * row, offsets + 4 * strip);
    tiff.writeUInt32LE(rows * row, counts + 4 * strip);
  }
  profile.copy(tiff, start - profile.length);
  return { tiff, pixels: new Uint8ClampedArray(tiff.buffer, tiff.byteOffset + start, row * height) };
}
