import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { MediaRow } from '#db/posts/media.ts';
import { fail } from '#kernel/errors.ts';

export type Write = (chunk: Uint8Array) => Promise<void>;

/** Bytes with random access. */
export type Bytes = Readonly<{ size: number; read(from: number, length: number): Promise<Uint8Array> }>;

/** Received bytes, invisible until kept. */
export type Draft = Bytes &
  Readonly<{
    sha256: string;
    /** Makes the bytes those of the item, atomically and durably; false if it has bytes already. */
    keep(): Promise<boolean>;
    /** Drops what was not kept; a no-op after `keep`. */
    drop(): Promise<void>;
  }>;

/** The bytes of an item: of several uploads, those its row names. */
export type StoredFile = Pick<MediaRow, 'id' | 'sha256'>;

/** The widths of thumbnails; the first one unless another is asked for. */
export const WIDTHS = [320, 960] as const;
/** Names of what is made of a picture and kept beside it. */
export type Derived = `${(typeof WIDTHS)[number]}.webp`;
export const DERIVED: readonly Derived[] = WIDTHS.map((width) => `${width}.webp` as const);

export type Kept = Bytes &
  Readonly<{
    /** Where the bytes lie, if they are a file of this machine. */
    path?: string;
    /** Streams an inclusive range. */
    stream(from: number, to: number): Readable;
  }>;

/** Hashes of items by id, if known; unknown ids are missing. */
type Known = (ids: readonly string[]) => Promise<ReadonlyMap<string, string | null>>;

export type MediaFiles = Readonly<{
  /** Takes what `fill` writes, up to `maxBytes`; more is refused with http.413. */
  receive(id: string, maxBytes: number, fill: (write: Write) => Promise<void>): Promise<Draft>;
  find(file: StoredFile): Promise<Kept | undefined>;
  /** Lets `look` read the bytes of an item; undefined without any. */
  inspect<T>(file: StoredFile, look: (bytes: Bytes) => Promise<T>): Promise<T | undefined>;
  findDerived(file: StoredFile, name: Derived): Promise<Kept | undefined>;
  /** Keeps small bytes beside a file; if there are some already, they may stay. */
  keepDerived(file: StoredFile, name: Derived, bytes: Uint8Array): Promise<void>;
  /** Removes a file and what is kept beside it. */
  remove(file: StoredFile): Promise<void>;
  /** Removes files unchanged since `before` that belong to nothing `known`; returns how many. */
  sweep(before: number, known: Known): Promise<number>;
}>;

const STEP = 1_048_576;

/** Writes what `fill` passes into an open file, up to `maxBytes`; returns what came. */
export async function takeInto(
  file: FileHandle,
  maxBytes: number,
  fill: (write: Write) => Promise<void>,
): Promise<Readonly<{ size: number; sha256: string }>> {
  const hash = createHash('sha256');
  let size = 0;
  await fill(async (chunk) => {
    size += chunk.byteLength;
    if (size > maxBytes) tooLarge(maxBytes);
    hash.update(chunk);
    await file.writeFile(chunk);
  });
  return { size, sha256: hash.digest('hex') };
}

/** Reads a part of an open file; fewer bytes only at its end. */
export async function readAt(file: FileHandle, from: number, length: number): Promise<Uint8Array> {
  const buffer = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, from + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

export async function digest(bytes: Bytes): Promise<string> {
  const hash = createHash('sha256');
  for (let at = 0; at < bytes.size; at += STEP) hash.update(await bytes.read(at, Math.min(STEP, bytes.size - at)));
  return hash.digest('hex');
}

export async function pour(body: AsyncIterable<Uint8Array>, write: Write): Promise<void> {
  for await (const chunk of body) await write(chunk);
}

export function tooLarge(maxBytes: number): never {
  fail('http.413', {
    message: `The file is larger than the ${maxBytes} bytes that are allowed.`,
    meta: { max_bytes: maxBytes },
  });
}
