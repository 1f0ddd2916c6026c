import type { Bytes } from '../storage/files.ts';
import { MOST_PARTS, type Pieces } from './patch.ts';

/** Boxes that contain other boxes, down to those with descriptions. */
const PARENTS: ReadonlySet<string> = new Set(['moov', 'trak', 'moof', 'traf']);
/** Boxes that describe a movie or track and may contain location and camera. */
const DESCRIPTIONS: ReadonlySet<string> = new Set(['udta', 'meta']);
const XMP = 'be7acfcb97a942e89c71999491e3afac';

type Box = Readonly<{ type: string; from: number; body: number; to: number }>;

/** Blanks the descriptions in an MP4 or QuickTime movie. They become free boxes, so the file's offsets stay valid. */
export async function cleanMovie(bytes: Bytes, pieces: Pieces): Promise<void> {
  let seen = 0;

  async function walk(from: number, to: number): Promise<void> {
    let at = from;
    while (at < to && seen < MOST_PARTS) {
      seen += 1;
      const box = await boxAt(bytes, at, to);
      if (box === undefined) break;
      if (DESCRIPTIONS.has(box.type) || (await isXmp(bytes, box))) free(box, pieces);
      else if (PARENTS.has(box.type)) {
        pieces.keep(box.from, box.body);
        await walk(box.body, box.to);
      } else pieces.keep(box.from, box.to);
      at = box.to;
    }
    pieces.keep(at, to);
  }

  await walk(0, bytes.size);
}

async function boxAt(bytes: Bytes, at: number, end: number): Promise<Box | undefined> {
  const head = Buffer.from(await bytes.read(at, 16));
  if (head.length < 8) return undefined;
  const size = head.readUInt32BE(0);
  const isLong = size === 1 && head.length === 16;
  const stated = isLong ? Number(head.readBigUInt64BE(8)) : size;
  const length = size === 0 ? end - at : stated;
  const body = at + (isLong ? 16 : 8);
  const to = at + length;
  return to < body || to > end ? undefined : { type: head.toString('latin1', 4, 8), from: at, body, to };
}

async function isXmp(bytes: Bytes, { type, body, to }: Box): Promise<boolean> {
  return type === 'uuid' && to - body >= 16 && Buffer.from(await bytes.read(body, 16)).toString('hex') === XMP;
}

function free({ from, body, to }: Box, pieces: Pieces): void {
  pieces.keep(from, from + 4);
  pieces.put(Buffer.from('free', 'latin1'));
  pieces.keep(from + 8, body);
  pieces.blank(to - body);
}
