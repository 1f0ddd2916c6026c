import type { Bytes } from '../storage/files.ts';
import { readExtent } from './movie.ts';

export type Size = Readonly<{ width: number; height: number }>;

/** Formats that state their size at the beginning. */
const HEAD_BYTES = 4096;
/** Real files have a few dozen segments before the picture; a hostile one could have millions of empty ones. */
const MOST_SEGMENTS = 1000;

/** The displayed size, if stated; headers are walked in a bounded number of small reads, so nothing stalls. */
export async function readPicture(bytes: Bytes, type: string): Promise<Size | undefined> {
  if (type === 'image/jpeg') return readJpeg(bytes);
  if (/^image\/(?:avif|hei[cf])$/.test(type)) return readExtent(bytes);
  const head = await bytes.read(0, Math.min(HEAD_BYTES, bytes.size));
  const { imageSize } = await import('image-size');
  try {
    const { width, height } = imageSize(head);
    return { width, height };
  } catch {
    return undefined;
  }
}

/** Walks the segments of a JPEG (ITU-T T.81, annex B) to its frame header, which Exif may rotate. */
async function readJpeg(bytes: Bytes): Promise<Size | undefined> {
  let orientation = 1;
  for (let at = 2, seen = 0; seen < MOST_SEGMENTS; seen += 1) {
    const header = viewOf(await bytes.read(at, 9));
    if (header.byteLength < 9 || header.getUint8(0) !== 0xff) return undefined;
    const marker = header.getUint8(1);
    const length = header.getUint16(2);
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === 0xda || marker === 0xd9 || length < 2) return undefined;
    if (isFrame(marker)) {
      const [height, width] = [header.getUint16(5), header.getUint16(7)];
      // Orientations 5 to 8 rotate the picture by a quarter turn.
      return orientation >= 5 ? { width: height, height: width } : { width, height };
    }
    if (marker === 0xe1) orientation = orientationOf(viewOf(await bytes.read(at + 4, length - 2))) ?? orientation;
    at += 2 + length;
  }
  return undefined;
}

/** Start of frame; C4, C8 and CC are other things. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

const EXIF = 0x4578_6966;
const ORIENTATION = 0x0112;

function orientationOf(segment: DataView): number | undefined {
  if (segment.byteLength < 16 || segment.getUint32(0) !== EXIF) return undefined;
  const little = segment.getUint16(6) === 0x4949;
  const directory = 6 + segment.getUint32(10, little);
  if (directory + 2 > segment.byteLength) return undefined;
  const entries = segment.getUint16(directory, little);
  for (let i = 0, at = directory + 2; i < entries && at + 12 <= segment.byteLength; i += 1, at += 12) {
    if (segment.getUint16(at, little) === ORIENTATION) return segment.getUint16(at + 8, little);
  }
  return undefined;
}

function viewOf(part: Uint8Array): DataView {
  return new DataView(part.buffer, part.byteOffset, part.byteLength);
}
