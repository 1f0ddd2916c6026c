import type { Hash } from 'node:crypto';
import { ConfigError } from '#kernel/config/reader.ts';

/** A file of an archive; the body has exactly `size` bytes. */
export type Entry = Readonly<{ path: string; size: number; body: AsyncIterable<Uint8Array> }>;

const BLOCK = 512;
const MODE = '0000600\0';
const FILE = '0';
/** The largest size in octal digits; a larger one is written in base 256, as GNU tar does. */
const OCTAL_MAX = 8 ** 11;
const DAMAGED = 'the archive is damaged or not complete';

/** Writes files as a tar archive (POSIX ustar), which every tar program reads. */
export async function* writeTar(entries: AsyncIterable<Entry>, atSeconds: number): AsyncGenerator<Uint8Array> {
  for await (const { path, size, body } of entries) {
    yield headerOf(path, size, atSeconds);
    let written = 0;
    for await (const chunk of body) {
      written += chunk.length;
      yield chunk;
    }
    if (written !== size)
      throw new ConfigError(`${path} changed while it was read: ${written} bytes instead of ${size}`);
    yield new Uint8Array(paddingOf(size));
  }
  yield new Uint8Array(2 * BLOCK);
}

/** Reads the files of a tar archive one after the other; `take` reads the whole body. */
export async function readTar(source: AsyncIterable<Uint8Array>, take: (entry: Entry) => Promise<void>): Promise<void> {
  const reader = makeReader(source);
  for (;;) {
    const header = await reader.exactly(BLOCK);
    // An archive ends with empty blocks.
    if (header.every((byte) => byte === 0)) return;
    if (sumOf(header) !== octal(header, 148, 8)) throw new ConfigError(DAMAGED);
    if (String.fromCharCode(header[156]!) !== FILE)
      throw new ConfigError('the archive holds something else than files');
    const size = sizeOf(header);
    const prefix = text(header, 345, 155);
    const path = (prefix === '' ? '' : `${prefix}/`) + text(header, 0, 100);
    await take({ path, size, body: reader.some(size) });
    await reader.exactly(paddingOf(size));
  }
}

/** Passes a body on, and adds it to a hash. */
export async function* hashed(body: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    hash.update(chunk);
    yield chunk;
  }
}

const paddingOf = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK;

function headerOf(path: string, size: number, atSeconds: number): Uint8Array {
  const header = Buffer.alloc(BLOCK);
  if (Buffer.byteLength(path) > 100) throw new ConfigError(`${path}: the name is too long for the archive`);
  header.write(path, 0);
  header.write(MODE, 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  if (size < OCTAL_MAX) header.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  else {
    header[124] = 0x80;
    header.writeBigUInt64BE(BigInt(size), 128);
  }
  header.write(`${Math.floor(atSeconds).toString(8).padStart(11, '0')}\0`, 136);
  header.write(FILE, 156);
  header.write('ustar\u000000', 257);
  header.write(`${sumOf(header).toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

/** The checksum of a header, in which its own field counts as spaces. */
function sumOf(header: Uint8Array): number {
  return header.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 0x20 : byte), 0);
}

function text(header: Uint8Array, at: number, length: number): string {
  const field = Buffer.from(header.subarray(at, at + length));
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end === -1 ? length : end);
}

function octal(header: Uint8Array, at: number, length: number): number {
  return Number.parseInt(text(header, at, length).trim(), 8);
}

function sizeOf(header: Uint8Array): number {
  const size = header[124]! >= 0x80 ? Number(Buffer.from(header).readBigUInt64BE(128)) : octal(header, 124, 12);
  if (!Number.isSafeInteger(size) || size < 0) throw new ConfigError(DAMAGED);
  return size;
}

/** Reads a stream in pieces of known length; one that ends too early is a damaged archive. */
function makeReader(source: AsyncIterable<Uint8Array>) {
  const chunks = source[Symbol.asyncIterator]();
  let held: Uint8Array = new Uint8Array();

  async function* some(length: number): AsyncGenerator<Uint8Array> {
    for (let left = length; left > 0;) {
      if (held.length === 0) {
        const { done, value } = await chunks.next();
        if (done === true) throw new ConfigError(DAMAGED);
        held = value;
        continue;
      }
      const piece = held.subarray(0, left);
      held = held.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }

  return Object.freeze({
    some,
    async exactly(length: number): Promise<Uint8Array> {
      const pieces: Uint8Array[] = [];
      for await (const piece of some(length)) pieces.push(piece);
      return Buffer.concat(pieces);
    },
  });
}
