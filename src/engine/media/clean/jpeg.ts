import type { Bytes } from '../storage/files.ts';
import { exifTurn, PREFIX, turned, UPRIGHT } from './orientation.ts';
import { MOST_PARTS, type Pieces } from './patch.ts';

const STEP = 65_536;

/** Removes EXIF, XMP, IPTC and appended files from a JPEG; keeps its orientation. */
export async function cleanJpeg(bytes: Bytes, pieces: Pieces): Promise<void> {
  pieces.keep(0, 2);
  let at = 2;
  let turn: number | undefined;
  for (let seen = 0; seen < MOST_PARTS; seen += 1) {
    const marker = Buffer.from(await bytes.read(at, 18));
    if (marker.length < 2 || marker[0] !== 0xff) return pieces.keep(at, bytes.size);
    const kind = marker[1]!;
    if (kind === 0xff) {
      pieces.keep(at, at + 1);
      at += 1;
    } else if (kind === 0xd9) {
      pieces.keep(at, at + 2);
      return at + 2 < bytes.size ? pieces.leaveOut() : undefined;
    } else {
      const to = marker.length < 4 ? bytes.size : at + 2 + Math.max(marker.readUInt16BE(2), 2);
      if (to > bytes.size) return pieces.keep(at, bytes.size);
      if (kind === 0xe1) {
        // If there are several, decoders use the first.
        const own = turn === undefined ? exifTurn(await bytes.read(at + 4, to - at - 4), 'prefixed') : undefined;
        keepTurn(own, pieces);
        turn ??= own;
      } else if (isPrivate(kind, marker)) pieces.leaveOut();
      else pieces.keep(at, to);
      const end = kind === 0xda ? await endOfScan(bytes, to) : to;
      pieces.keep(to, end);
      at = end;
    }
  }
  pieces.keep(at, bytes.size);
}

/** Whether a segment may be private: IPTC, or an index of further pictures, which have EXIF of their own. */
function isPrivate(kind: number, marker: Buffer): boolean {
  return kind === 0xed || (kind === 0xe2 && marker.toString('latin1', 4, 8) === 'MPF\0');
}

function keepTurn(turn: number | undefined, pieces: Pieces): void {
  if (turn === undefined || turn === UPRIGHT) return pieces.leaveOut();
  const tiff = turned(turn);
  const head = Buffer.from(`\xff\xe1\0\0${PREFIX}`, 'latin1');
  head.writeUInt16BE(head.length - 2 + tiff.length, 2);
  pieces.put(Buffer.concat([head, tiff]));
}

/** The end of a scan's data: the next marker other than padding and restarts. */
async function endOfScan(bytes: Bytes, from: number): Promise<number> {
  for (let at = from; at < bytes.size; at += STEP) {
    // Reads one byte more than a step, as a marker of two bytes may cross its end.
    const part = Buffer.from(await bytes.read(at, STEP + 1));
    for (
      let found = part.indexOf(0xff);
      found !== -1 && found + 1 < part.length;
      found = part.indexOf(0xff, found + 1)
    ) {
      const next = part[found + 1]!;
      if (next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at + found;
    }
  }
  return bytes.size;
}
