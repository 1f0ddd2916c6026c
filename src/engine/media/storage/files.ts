import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { MediaRow } from '#db/posts/media.ts';
import { fail } from '#kernel/errors.ts';

export type Write = (chunk: Uint8Array) => Promise<void>;

/** Content that can be read at any position. */
export type Bytes = Readonly<{ size: number; read(from: number, length: number): Promise<Uint8Array> }>;

/** Received bytes that nobody can read until they are kept. */
export type Draft = Bytes &
  Readonly<{
    sha256: string;
    /** Makes the bytes the item's content, atomically and durably; false if it already has content. */
    keep(): Promise<boolean>;
    /** Discards the bytes; does nothing after `keep`. */
    drop(): Promise<void>;
  }>;

/** The content of an item; if there were several uploads, its row says which counts. */
export type StoredFile = Pick<MediaRow, 'id' | 'sha256'>;

/** The widths of thumbnails; the first one is the default. */
export const WIDTHS = [320, 960] as const;
/** Names of files that are made from a picture and stored next to it. */
export type Derived = `${(typeof WIDTHS)[number]}.webp`;
export const DERIVED: readonly Derived[] = WIDTHS.map((width) => `${width}.webp` as const);

export type Kept = Bytes &
  Readonly<{
    /** The path, if the bytes are a local file. */
    path?: string;
    /** Streams a range that includes both ends. */
    stream(from: number, to: number): Readable;
  }>;

/** Hashes of items by id, null if unknown; items that do not exist are missing. */
type Known = (ids: readonly string[]) => Promise<ReadonlyMap<string, string | null>>;

export type MediaFiles = Readonly<{
  /** Receives what `fill` writes, up to `maxBytes`; beyond that, throws http.413. */
  receive(id: string, maxBytes: number, fill: (write: Write) => Promise<void>): Promise<Draft>;
  find(file: StoredFile): Promise<Kept | undefined>;
  /** Lets `look` read an item's content; undefined if it has none. */
  inspect<T>(file: StoredFile, look: (bytes: Bytes) => Promise<T>): Promise<T | undefined>;
  findDerived(file: StoredFile, name: Derived): Promise<Kept | undefined>;
  /** Stores a small file next to the item's file; an existing one may stay. */
  keepDerived(file: StoredFile, name: Derived, bytes: Uint8Array): Promise<void>;
  /** Removes a file and everything stored next to it. */
  remove(file: StoredFile): Promise<void>;
  /** Removes files unchanged since `before` that belong to no item, as looked up by `known`; returns how many. */
  sweep(before: number, known: Known): Promise<number>;
}>;

const STEP = 1_048_576;

/** Writes what `fill` passes into an open file, up to `maxBytes`; returns what arrived. */
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

/** Reads a part of an open file; returns fewer bytes only at its end. */
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
