import type { PictureTraits } from '#kernel/pictures/picture.ts';
import { exifTurn } from '../clean/orientation.ts';
import { windowed } from '../clean/patch.ts';
import type { Bytes } from '../storage/files.ts';
import { readExtent } from './movie.ts';
import { isCutOff, isScanCutOff, walkGif } from './whole.ts';

type Size = Readonly<{ width: number; height: number }>;

/** The displayed size of a picture, and traits of it that some platforms do not accept. */
export type PictureHeader = Size & Readonly<{ traits?: PictureTraits | undefined }>;

/** Enough for formats that store the size at the beginning. */
const HEAD_BYTES = 4096;
/** Real files have a few dozen segments before the picture; a hostile one could have millions of empty ones. */
const MOST_SEGMENTS = 1000;
const MOST_EXIF_BYTES = 65_536;

/** Reads the header and end of a picture in a bounded number of small reads, so that no file can block others. */
export async function readPicture(bytes: Bytes, type: string): Promise<PictureHeader | undefined> {
  if (type === 'image/jpeg') return readJpeg(bytes);
  const header = await readHeader(bytes, type);
  if (header === undefined || !(await isCutOff(bytes, type))) return header;
  return { ...header, traits: { ...header.traits, incomplete: true } };
}

async function readHeader(bytes: Bytes, type: string): Promise<PictureHeader | undefined> {
  if (/^image\/(?:avif|hei[cf])$/.test(type)) return readExtent(bytes);
  const size = await readSize(bytes);
  if (size === undefined) return undefined;
  const read = READERS.get(type);
  if (read === undefined) return size;
  const { orientation = 1, ...traits } = await read(windowed(bytes));
  return uprightHeader(size, orientation, traits);
}

async function readSize(bytes: Bytes): Promise<Size | undefined> {
  const head = await bytes.read(0, Math.min(HEAD_BYTES, bytes.size));
  const { imageSize } = await import('image-size');
  try {
    const { width, height } = imageSize(head);
    return { width, height };
  } catch {
    return undefined;
  }
}

/** Orientations 5 to 8 rotate the picture by a quarter turn. */
function uprightHeader({ width, height }: Size, orientation: number, found: PictureTraits): PictureHeader {
  const size = orientation >= 5 ? { width: height, height: width } : { width, height };
  const named = Object.entries({ ...found, turned: orientation > 1 }).filter(([, value]) => value);
  return named.length === 0 ? size : { ...size, traits: Object.fromEntries(named) };
}

type Read = (bytes: Bytes) => Promise<PictureTraits & Readonly<{ orientation?: number | undefined }>>;

const READERS: ReadonlyMap<string, Read> = new Map([
  ['image/png', readPng],
  ['image/webp', readWebp],
  ['image/gif', readGif],
]);

type Frame = Size & PictureTraits;

/** What is found before a JPEG's data: the frame, the EXIF orientation, and the position of the first scan. */
type JpegStart = { frame?: Frame; orientation?: number | undefined; scan?: number };

/** Reads the segments of a JPEG (ITU-T T.81, annex B) up to the picture data. */
async function walkJpeg({ size, read }: Bytes): Promise<JpegStart> {
  const start: JpegStart = {};
  for (let at = 2, seen = 0; seen < MOST_SEGMENTS; seen += 1) {
    const head = Buffer.from(await read(at, 10));
    const marker = head[1];
    if (head.length > 1 && (head[0] !== 0xff || marker === 0xd9)) break;
    // The file ends before the picture data.
    if (head.length < 4) return { ...start, scan: size };
    if (marker === 0xda) return { ...start, scan: at };
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const length = head.readUInt16BE(2);
    if (length < 2) break;
    if (start.frame === undefined && isFrame(marker!)) {
      if (head.length < 9) break;
      start.frame = frameOf(head);
    } else if (start.frame === undefined && marker === 0xe1) {
      // If there are several, decoders use the first.
      start.orientation ??= exifTurn(await read(at + 4, length - 2), 'prefixed');
    }
    at += 2 + length;
  }
  return start;
}

async function readJpeg(bytes: Bytes): Promise<PictureHeader | undefined> {
  const { frame, orientation = 1, scan } = await walkJpeg(bytes);
  if (frame === undefined) return undefined;
  const { unusual } = frame;
  return uprightHeader(frame, orientation, { unusual, incomplete: await isScanCutOff(bytes, scan) });
}

/** Whether a marker starts a frame; C4, C8 and CC have other meanings. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function frameOf(head: Buffer): Frame {
  // Four components are CMYK.
  const unusual = head[4] !== 8 || (head.length > 9 && head[9]! > 3);
  return { height: head.readUInt16BE(5), width: head.readUInt16BE(7), unusual };
}

async function readPng(bytes: Bytes): ReturnType<Read> {
  const unusual = ((await bytes.read(24, 1))[0] ?? 0) > 8;
  let orientation: number | undefined;
  let animated = false;
  for (let at = 8, seen = 0; at + 12 <= bytes.size && seen < MOST_SEGMENTS; seen += 1) {
    const head = Buffer.from(await bytes.read(at, 8));
    const length = head.readUInt32BE(0);
    const kind = head.toString('latin1', 4, 8);
    if (kind === 'acTL') animated = true;
    if (kind === 'eXIf') orientation ??= exifTurn(await bytes.read(at + 8, Math.min(length, MOST_EXIF_BYTES)));
    at += 12 + length;
  }
  return { unusual, animated, orientation };
}

async function readWebp(bytes: Bytes): ReturnType<Read> {
  const start = Buffer.from(await bytes.read(12, 9));
  const flags = start.toString('latin1', 0, 4) === 'VP8X' && start.length === 9 ? start[8]! : 0;
  const animated = (flags & 0x02) !== 0;
  if ((flags & 0x08) === 0) return { animated };
  for (let at = 12, seen = 0; at + 8 <= bytes.size && seen < MOST_SEGMENTS; seen += 1) {
    const head = Buffer.from(await bytes.read(at, 8));
    const length = head.readUInt32LE(4);
    if (head.toString('latin1', 0, 4) === 'EXIF') {
      return { animated, orientation: exifTurn(await bytes.read(at + 8, Math.min(length, MOST_EXIF_BYTES))) };
    }
    at += 8 + length + (length % 2);
  }
  return { animated };
}

async function readGif(bytes: Bytes): ReturnType<Read> {
  return { animated: (await walkGif(bytes, 2)).frames > 1 };
}
