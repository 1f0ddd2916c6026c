import { Readable } from 'node:stream';
import type { Bytes, Kept } from '../storage/files.ts';

/** A piece of the changed file: bytes of the original, zeros, or new bytes. */
export type Piece =
  | Readonly<{ kind: 'kept'; from: number; to: number }>
  | Readonly<{ kind: 'blank'; length: number }>
  | Readonly<{ kind: 'put'; bytes: Uint8Array }>;

/** Real files have a few thousand parts. Parts beyond this number are left as they are. */
export const MOST_PARTS = 100_000;
const WINDOW = 262_144;
const STEP = 65_536;

/** Collects the pieces of a changed file, joining adjacent ones. */
export function makePieces() {
  const pieces: Piece[] = [];
  let isChanged = false;
  const change = (piece: Piece) => {
    isChanged = true;
    pieces.push(piece);
  };
  return {
    keep(from: number, to: number): void {
      const last = pieces.at(-1);
      if (last?.kind === 'kept' && last.to === from) pieces[pieces.length - 1] = { ...last, to };
      else if (to > from) pieces.push({ kind: 'kept', from, to });
    },
    blank: (length: number) => change({ kind: 'blank', length }),
    put: (bytes: Uint8Array) => change({ kind: 'put', bytes }),
    leaveOut: () => void (isChanged = true),
    made: (): readonly Piece[] | undefined => (isChanged ? pieces : undefined),
  };
}

export type Pieces = ReturnType<typeof makePieces>;

/** Reads small parts sequentially, fetching larger ones from storage. */
export function windowed({ size, read }: Bytes): Bytes {
  let window: Readonly<{ from: number; bytes: Uint8Array }> = { from: 0, bytes: new Uint8Array() };
  return {
    size,
    async read(from, length) {
      const to = Math.min(from + length, size);
      if (from < window.from || to > window.from + window.bytes.byteLength)
        window = { from, bytes: await read(from, Math.max(length, WINDOW)) };
      return window.bytes.subarray(from - window.from, Math.max(from, to) - window.from);
    },
  };
}

function lengthOf(piece: Piece): number {
  if (piece.kind === 'kept') return piece.to - piece.from;
  return piece.kind === 'blank' ? piece.length : piece.bytes.byteLength;
}

export function patched(kept: Kept, pieces: readonly Piece[]): Kept {
  type From = (from: number, length: number) => AsyncIterable<Uint8Array> | Promise<readonly Uint8Array[]>;

  /** The bytes of a range, excluding its end. */
  async function* bytesOf(from: number, to: number, take: From): AsyncGenerator<Uint8Array> {
    let at = 0;
    for (const piece of pieces) {
      const length = lengthOf(piece);
      const [start, end] = [Math.max(from - at, 0), Math.min(to - at, length)];
      at += length;
      if (start >= end) continue;
      if (piece.kind === 'put') yield piece.bytes.subarray(start, end);
      else if (piece.kind === 'blank') yield* zeros(end - start);
      else yield* await take(piece.from + start, end - start);
    }
  }

  const size = pieces.reduce((sum, piece) => sum + lengthOf(piece), 0);
  const read: From = async (from, length) => [await kept.read(from, length)];
  const stream: From = (from, length) => kept.stream(from, from + length - 1);
  return {
    size,
    async read(from, length) {
      const all: Uint8Array[] = [];
      for await (const part of bytesOf(from, Math.min(from + length, size), read)) all.push(part);
      return Buffer.concat(all);
    },
    stream: (from, to) => Readable.from(bytesOf(from, to + 1, stream), { objectMode: false }),
  };
}

function* zeros(length: number): Generator<Uint8Array> {
  const some = new Uint8Array(Math.min(length, STEP));
  for (let left = length; left > 0; left -= some.byteLength) yield some.subarray(0, left);
}
