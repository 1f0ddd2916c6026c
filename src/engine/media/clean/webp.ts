import type { Bytes } from '../storage/files.ts';
import { exifTurn, MOST_EXIF_BYTES, turned, UPRIGHT } from './orientation.ts';
import { MOST_PARTS, type Pieces } from './patch.ts';

const HEAD_BYTES = 12;
const FLAGS_END = 9;
const [HAS_EXIF, HAS_XMP] = [0x08, 0x04];

type Chunk = Readonly<{ type: string; from: number; to: number }>;

/** Removes EXIF and XMP from a WebP; keeps its orientation. */
export async function cleanWebp(bytes: Bytes, pieces: Pieces): Promise<void> {
  const chunks = await chunksOf(bytes);
  const exif = chunks.find(({ type }) => type === 'EXIF');
  const kept = chunks.filter(({ type }) => type !== 'EXIF' && type !== 'XMP ');
  const end = chunks.at(-1)?.to ?? bytes.size;
  if (kept.length === chunks.length && end === bytes.size) return;
  const turn = exif && exifTurn(await bytes.read(exif.from + 8, Math.min(exif.to - exif.from - 8, MOST_EXIF_BYTES)));
  const isTurned = turn !== undefined && turn !== UPRIGHT;
  const added = isTurned ? chunk('EXIF', turned(turn)) : Buffer.alloc(0);
  const size = kept.reduce((sum, { from, to }) => sum + to - from, added.length);
  const head = Buffer.from(await bytes.read(0, HEAD_BYTES));
  head.writeUInt32LE(size + 4, 4);
  pieces.put(head);
  for (const { type, from, to } of kept) {
    const flagsEnd = type === 'VP8X' ? Math.min(from + FLAGS_END, to) : from;
    if (type === 'VP8X') pieces.put(flagged(await bytes.read(from, flagsEnd - from), isTurned));
    pieces.keep(flagsEnd, to);
  }
  pieces.put(added);
}

async function chunksOf(bytes: Bytes): Promise<readonly Chunk[]> {
  const end = Math.min(bytes.size, Buffer.from(await bytes.read(4, 4)).readUInt32LE() + 8);
  const chunks: Chunk[] = [];
  for (let at = HEAD_BYTES; at + 8 <= end && chunks.length < MOST_PARTS;) {
    const head = Buffer.from(await bytes.read(at, 8));
    const length = head.readUInt32LE(4);
    // Chunks are padded to an even length.
    const to = Math.min(at + 8 + length + (length % 2), end);
    chunks.push({ type: head.toString('latin1', 0, 4), from: at, to });
    at = to;
  }
  return chunks;
}

function chunk(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(type, 'latin1');
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content]);
}

/** The beginning of an extended header, with the flags for what the file contains. */
function flagged(header: Uint8Array, hasExif: boolean): Buffer {
  const changed = Buffer.from(header);
  changed[8] = (changed[8]! & ~(HAS_EXIF | HAS_XMP)) | (hasExif ? HAS_EXIF : 0);
  return changed;
}
