import { createHash } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';

function chunk(type: string, data: Uint8Array): Buffer<ArrayBuffer> {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.byteLength);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** A PNG that says it is of this size; `filler` bytes of a private chunk make two of them differ, or big. */
export function png(width = 3, height = 2, filler = 0): Buffer<ArrayBuffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(16))),
    chunk('prVt', Buffer.alloc(filler, 7)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

export function gif(width = 5, height = 4): Buffer<ArrayBuffer> {
  const bytes = Buffer.from('GIF89a\0\0\0\0\0\0\0;', 'latin1');
  bytes.writeUInt16LE(width, 6);
  bytes.writeUInt16LE(height, 8);
  return bytes;
}

/** A JPEG; its EXIF, if it has one, says that it is to be shown turned. */
export function jpeg(width: number, height: number, orientation?: number): Buffer<ArrayBuffer> {
  const tiff = Buffer.from('4d4d002a00000008000101120003000000010000000000000000', 'hex');
  tiff.writeUInt16BE(orientation ?? 1, 18);
  const exif = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff]);
  const app1 = Buffer.from([0xff, 0xe1, 0, exif.byteLength + 2]);
  const frame = Buffer.from('ffc0000b080000000001011100', 'hex');
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  const jfif = Buffer.from('ffe000104a46494600010100000100010000', 'hex');
  const comment = Buffer.concat([Buffer.from('fffe0042', 'hex'), Buffer.alloc(64)]);
  const turn = orientation === undefined ? [] : [app1, exif];
  return Buffer.concat([Buffer.from('ffd8', 'hex'), jfif, ...turn, comment, frame, Buffer.from('ffd9', 'hex')]);
}

function box(type: string, ...parts: readonly Uint8Array[]): Buffer<ArrayBuffer> {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.byteLength + 8);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
}

function words(...values: readonly number[]): Buffer<ArrayBuffer> {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => bytes.writeUInt32BE(value, index * 4));
  return bytes;
}

type Track = Readonly<{ handler: 'vide' | 'soun'; width?: number; height?: number; turned?: boolean }>;

function track({ handler, width = 0, height = 0, turned = false }: Track): Buffer<ArrayBuffer> {
  const matrix = turned
    ? [0, 0x10000, 0, 0xffff0000, 0, 0, 0, 0, 0x40000000]
    : [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000];
  const header = words(0, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...matrix, width * 65536, height * 65536);
  return box(
    'trak',
    box('tkhd', header),
    box('mdia', box('hdlr', words(0, 0), Buffer.from(handler, 'latin1'), words(0, 0, 0))),
  );
}

/** An MP4 with its header at the end, as cameras write it. */
export function mp4({
  ms = 2500,
  tracks = [{ handler: 'vide', width: 640, height: 360 }],
  brand = 'isom',
}: { ms?: number; tracks?: readonly Track[]; brand?: string } = {}): Buffer<ArrayBuffer> {
  const mvhd = box('mvhd', words(0, 0, 0, 1000, ms), Buffer.alloc(80));
  return Buffer.concat([
    box('ftyp', Buffer.from(`${brand}\0\0\x02\0isommp41`, 'latin1')),
    box('free'),
    box('mdat', Buffer.alloc(4096, 1)),
    box('moov', mvhd, ...tracks.map(track)),
  ]);
}

export const pdf = Buffer.from('%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\n');
export const wav = Buffer.concat([Buffer.from('RIFF\x24\0\0\0WAVEfmt \x10\0\0\0', 'latin1'), Buffer.alloc(24)]);
export const ogg = Buffer.concat([
  Buffer.from('OggS\0\x02', 'latin1'),
  Buffer.alloc(22),
  Buffer.from('OpusHead', 'latin1'),
]);
export const webp = Buffer.from('UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAQAcJaQAA3AA/vuUAAA=', 'base64');
export const svg = Buffer.from(
  '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
);
export const html = Buffer.from('<!doctype html><html><script>alert(1)</script></html>');

/** The hash by which simulators show the files they got. */
export const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Bytes as a request delivers them: in pieces. */
export async function* pieces(bytes: Uint8Array, size = 1000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += size) yield bytes.subarray(at, at + size);
}
