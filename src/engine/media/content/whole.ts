import { windowed } from '../clean/patch.ts';
import type { Bytes } from '../storage/files.ts';

const STEP = 262_144;
/** The most steps of a search, which covers about 100 MB. */
const MOST_STEPS = 400;
/** The most data blocks of a GIF, of 255 bytes each. */
const MOST_BLOCKS = 200_000;
const PNG_START = 8;

/** Whether a picture other than a JPEG is cut off; data after its end do not matter. False in case of doubt. */
export async function isCutOff(bytes: Bytes, type: string): Promise<boolean> {
  if (type === 'image/webp') return Buffer.from(await bytes.read(4, 4)).readUInt32LE(0) + 8 > bytes.size;
  if (type === 'image/png') return lacks(bytes, PNG_START, 'IEND');
  if (type === 'image/gif') return (await walkGif(bytes)).isCutOff;
  return false;
}

/** Whether a JPEG is cut off. Its data begin at `scan`, after any thumbnails; false if that is undefined. */
export async function isScanCutOff(bytes: Bytes, scan: number | undefined): Promise<boolean> {
  return scan !== undefined && lacks(bytes, scan, '\xff\xd9');
}

/** Whether the end mark is missing after a position. Looks at the end of the file first, where most files have it. */
async function lacks({ size, read }: Bytes, start: number, mark: string): Promise<boolean> {
  const has = async (from: number) => Buffer.from(await read(from, STEP)).includes(mark, 0, 'latin1');
  const last = Math.max(start, size - STEP);
  if (await has(last)) return false;
  for (let at = start, steps = 0; at < last; at += STEP - mark.length + 1, steps += 1)
    if (steps === MOST_STEPS || (await has(at))) return false;
  return true;
}

/** Reads the blocks of a GIF up to its end, or until `most` frames were found. */
export async function walkGif(given: Bytes, most = Infinity): Promise<{ frames: number; isCutOff: boolean }> {
  const bytes = windowed(given);
  const tableOf = (packed: number) => ((packed & 0x80) === 0 ? 0 : 3 * 2 ** ((packed & 7) + 1));
  const byteAt = async (at: number) => (await bytes.read(at, 1))[0] ?? 0;
  let at = 13 + tableOf(await byteAt(10));
  let frames = 0;
  for (let seen = 0; seen < MOST_BLOCKS; seen += 1) {
    if (at >= bytes.size) return { frames, isCutOff: true };
    const kind = await byteAt(at);
    if (kind === 0x2c) {
      frames += 1;
      if (frames >= most) break;
      at += 11 + tableOf(await byteAt(at + 9));
    } else if (kind === 0x21) at += 2;
    else break;
    for (let length = await byteAt(at); length > 0 && seen < MOST_BLOCKS; seen += 1) {
      at += 1 + length;
      length = await byteAt(at);
    }
    at += 1;
  }
  return { frames, isCutOff: false };
}
