import type { Bytes } from '../storage/files.ts';

/** Properties in the header of an MP4 or QuickTime file. */
export type Movie = Readonly<{
  duration_ms?: number;
  width?: number;
  height?: number;
  /** The file has no pictures, whatever it claims. */
  soundOnly: boolean;
}>;

type Box = Readonly<{ type: string; from: number; to: number }>;

/** Real files have a few hundred boxes; a hostile one could have millions of empty ones. */
const MOST_BOXES = 10_000;
/** Limits the items whose properties are read. */
const MOST_NAMES_BYTES = 65_536;

/** Reads the movie header of an ISO media file (ISO/IEC 14496-12), wherever it is. */
export async function readMovie(bytes: Bytes): Promise<Movie | undefined> {
  const walk = walker(bytes);
  const moov = await walk.first({ from: 0, to: bytes.size }, 'moov');
  if (!moov) return undefined;
  const kinds = new Set<string>();
  const found: Omit<Movie, 'soundOnly'> = {};
  for (const box of await walk.children(moov)) {
    if (box.type === 'mvhd') Object.assign(found, durationOf(await view(bytes, box, 32)));
    if (box.type !== 'trak' || kinds.has('vide')) continue;
    const media = await walk.first(box, 'mdia');
    const handler = media && (await walk.first(media, 'hdlr'));
    if (!handler) continue;
    const kind = text(await view(bytes, handler, 12), 8);
    kinds.add(kind);
    const header = kind === 'vide' ? await walk.first(box, 'tkhd') : undefined;
    if (header) Object.assign(found, sizeOf(await view(bytes, header, 96)));
  }
  return { ...found, soundOnly: kinds.has('soun') && !kinds.has('vide') };
}

type Sides = Readonly<{ width: number; height: number }>;

/** The displayed size of the primary picture of a HEIF or AVIF file (ISO/IEC 23008-12), or of the largest picture. */
export async function readExtent(bytes: Bytes): Promise<Sides | undefined> {
  const walk = walker(bytes);
  const meta = await walk.first({ from: 0, to: bytes.size }, 'meta');
  if (meta === undefined) return undefined;
  // A full box has a version and flags before its children.
  const children = await walk.children({ ...meta, from: meta.from + 4 });
  const properties = children.find(({ type }) => type === 'iprp');
  const container = properties && (await walk.first(properties, 'ipco'));
  const all = container ? await walk.children(container) : [];
  const names = properties && (await walk.first(properties, 'ipma'));
  const primary = children.find(({ type }) => type === 'pitm');
  const wanted = names && primary ? await propertiesOf(bytes, { primary, names }) : [];
  const own = wanted.flatMap((index) => all[index - 1] ?? []);
  const size = await largestOf(bytes, own.some(({ type }) => type === 'ispe') ? own : all);
  const turn = own.find(({ type }) => type === 'irot');
  // The value counts quarter turns, so odd ones swap the sides.
  const isTurned = turn !== undefined && (((await bytes.read(turn.from, 1))[0] ?? 0) & 1) === 1;
  return size && isTurned ? { width: size.height, height: size.width } : size;
}

async function largestOf(bytes: Bytes, boxes: readonly Box[]): Promise<Sides | undefined> {
  let largest: Sides | undefined;
  for (const box of boxes) {
    if (box.type !== 'ispe') continue;
    const extent = await view(bytes, box, 12);
    if (extent.byteLength < 12) continue;
    const size = { width: extent.getUint32(4), height: extent.getUint32(8) };
    if (!largest || size.width * size.height > largest.width * largest.height) largest = size;
  }
  return largest;
}

/** The indices of the primary item's properties, counted from 1. */
async function propertiesOf(
  bytes: Bytes,
  { primary, names }: Readonly<{ primary: Box; names: Box }>,
): Promise<readonly number[]> {
  const item = await view(bytes, primary, 8);
  const data = await view(bytes, names, MOST_NAMES_BYTES);
  if (item.byteLength < 6 || data.byteLength < 8) return [];
  const id = item.getUint8(0) === 0 || item.byteLength < 8 ? item.getUint16(4) : item.getUint32(4);
  const idBytes = data.getUint8(0) === 0 ? 2 : 4;
  const indexBytes = (data.getUint8(3) & 1) === 1 ? 2 : 1;
  for (let at = 8; at + idBytes + 1 <= data.byteLength;) {
    const count = data.getUint8(at + idBytes);
    const start = at + idBytes + 1;
    const end = start + count * indexBytes;
    if (end > data.byteLength) return [];
    if ((idBytes === 2 ? data.getUint16(at) : data.getUint32(at)) === id) {
      // The first bit marks properties that a reader must understand.
      const indexAt = (place: number) =>
        indexBytes === 2 ? data.getUint16(place) & 0x7fff : data.getUint8(place) & 0x7f;
      return Array.from({ length: count }, (_, index) => indexAt(start + index * indexBytes));
    }
    at = end;
  }
  return [];
}

function walker(bytes: Bytes) {
  let seen = 0;

  async function* boxes({ from, to }: Readonly<{ from: number; to: number }>): AsyncGenerator<Box> {
    for (let at = from; at + 8 <= to && seen < MOST_BOXES; seen += 1) {
      const header = await view(bytes, { from: at, to }, 16);
      let size = header.getUint32(0);
      let start = at + 8;
      if (size === 0) size = to - at;
      if (size === 1 && header.byteLength === 16) {
        size = Number(header.getBigUint64(8));
        start = at + 16;
      }
      const end = at + size;
      if (end < start || end > to) return;
      yield { type: text(header, 4), from: start, to: end };
      at = end;
    }
  }

  return {
    async first(within: Readonly<{ from: number; to: number }>, type: string): Promise<Box | undefined> {
      for await (const box of boxes(within)) if (box.type === type) return box;
      return undefined;
    },
    async children(within: Box): Promise<Box[]> {
      const found: Box[] = [];
      for await (const box of boxes(within)) found.push(box);
      return found;
    },
  };
}

/** Reads up to `length` bytes of a range. */
async function view(
  bytes: Bytes,
  { from, to }: Readonly<{ from: number; to: number }>,
  length: number,
): Promise<DataView> {
  const part = await bytes.read(from, Math.min(length, to - from));
  return new DataView(part.buffer, part.byteOffset, part.byteLength);
}

function text(data: DataView, at: number): string {
  if (data.byteLength < at + 4) return '';
  return String.fromCharCode(data.getUint8(at), data.getUint8(at + 1), data.getUint8(at + 2), data.getUint8(at + 3));
}

/** Version 1 headers have 64-bit times. */
function durationOf(header: DataView): { duration_ms?: number } {
  const long = header.byteLength > 0 && header.getUint8(0) === 1;
  if (header.byteLength < (long ? 32 : 20)) return {};
  const scale = header.getUint32(long ? 20 : 12);
  const duration = long ? Number(header.getBigUint64(24)) : header.getUint32(16);
  // In both widths, all bits set means that the duration is unknown.
  const known = scale > 0 && duration > 0 && duration !== 0xffff_ffff && Number.isSafeInteger(duration);
  return known ? { duration_ms: Math.round((duration / scale) * 1000) } : {};
}

/** Sizes are 16.16 fixed-point numbers, followed by a matrix that may rotate the picture. */
function sizeOf(header: DataView): { width?: number; height?: number } {
  const long = header.byteLength > 0 && header.getUint8(0) === 1;
  const matrix = long ? 52 : 40;
  if (header.byteLength < matrix + 44) return {};
  const width = header.getUint32(matrix + 36) >>> 16;
  const height = header.getUint32(matrix + 40) >>> 16;
  if (width === 0 || height === 0) return {};
  const turned = header.getInt32(matrix) === 0 && header.getInt32(matrix + 4) !== 0;
  return turned ? { width: height, height: width } : { width, height };
}
