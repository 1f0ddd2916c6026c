import { crc32 } from 'node:zlib';
import type { Bytes } from '../storage/files.ts';
import { exifTurn, MOST_EXIF_BYTES, turned, UPRIGHT } from './orientation.ts';
import { MOST_PARTS, type Pieces } from './patch.ts';

const SIGNATURE_BYTES = 8;
const TEXTS: ReadonlySet<string> = new Set(['tEXt', 'zTXt', 'iTXt']);

/** Removes EXIF and text from a PNG; keeps its orientation. */
export async function cleanPng(bytes: Bytes, pieces: Pieces): Promise<void> {
  pieces.keep(0, SIGNATURE_BYTES);
  let at = SIGNATURE_BYTES;
  for (let seen = 0; at < bytes.size && seen < MOST_PARTS; seen += 1) {
    const head = Buffer.from(await bytes.read(at, 8));
    const to = head.length < 8 ? Infinity : at + 12 + head.readUInt32BE(0);
    if (to > bytes.size) return pieces.keep(at, bytes.size);
    const type = head.toString('latin1', 4, 8);
    if (type === 'eXIf') keepTurn(await bytes.read(at + 8, Math.min(to - at - 12, MOST_EXIF_BYTES)), pieces);
    else if (TEXTS.has(type)) pieces.leaveOut();
    else pieces.keep(at, to);
    at = to;
    if (type === 'IEND' && at < bytes.size) return pieces.leaveOut();
  }
  pieces.keep(at, bytes.size);
}

function keepTurn(tiff: Uint8Array, pieces: Pieces): void {
  const turn = exifTurn(tiff);
  if (turn === undefined || turn === UPRIGHT) return pieces.leaveOut();
  const body = Buffer.concat([Buffer.from('eXIf', 'latin1'), turned(turn)]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length - 4);
  sum.writeUInt32BE(crc32(body));
  pieces.put(Buffer.concat([length, body, sum]));
}
