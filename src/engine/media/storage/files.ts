import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { MediaRow } from '#db/posts/media.ts';
import { fail } from '#kernel/errors.ts';

/** Takes bytes one piece after the other. */
export type Write = (chunk: Uint8Array) => Promise<void>;

/** Bytes that can be looked into at any place. */
export type Bytes = Readonly<{ size: number; read(from: number, length: number): Promise<Uint8Array> }>;

/** Received bytes that nobody sees before they are kept. */
export type Draft = Bytes &
  Readonly<{
    sha256: string;
    /** Makes the bytes those of the item, durably and at once; false when the item has bytes already. */
    keep(): Promise<boolean>;
    /** Forgets what was not kept; does nothing after `keep`. */
    drop(): Promise<void>;
  }>;

/** Which bytes are meant: those of an item, and of several uploads for it the one that its row names. */
export type StoredFile = Pick<MediaRow, 'id' | 'sha256'>;

/** Bytes that are there. */
export type Kept = Bytes &
  Readonly<{
    /** Streams from one byte to another, both included. */
    stream(from: number, to: number): Readable;
  }>;

/** What the rows of some ids say: the hash of their bytes, where it is known; ids without a row are missing. */
export type Known = (ids: readonly string[]) => Promise<ReadonlyMap<string, string | null>>;

/** Where the bytes of media items are. */
export type MediaFiles = Readonly<{
  /** Takes what `fill` writes, up to `maxBytes`; more is refused with http.413. */
  receive(id: string, maxBytes: number, fill: (write: Write) => Promise<void>): Promise<Draft>;
  find(file: StoredFile): Promise<Kept | undefined>;
  /** Lets `look` read in the bytes of an item; undefined when there are none. */
  inspect<T>(file: StoredFile, look: (bytes: Bytes) => Promise<T>): Promise<T | undefined>;
  /** Removes the bytes, if they are there. */
  remove(file: StoredFile): Promise<void>;
  /** Removes what has not changed since `before` and belongs to nothing `known`; answers how much that was. */
  sweep(before: number, known: Known): Promise<number>;
}>;

const STEP = 1_048_576;

/** Writes what `fill` hands over into an open file, up to `maxBytes`, and answers what came. */
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

/** Reads a part of an open file; fewer bytes only where it ends. */
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

/** The SHA-256 of bytes, as lower-case hex. */
export async function digest(bytes: Bytes): Promise<string> {
  const hash = createHash('sha256');
  for (let at = 0; at < bytes.size; at += STEP) hash.update(await bytes.read(at, Math.min(STEP, bytes.size - at)));
  return hash.digest('hex');
}

/** Hands bytes on, piece by piece. */
export async function pour(body: AsyncIterable<Uint8Array>, write: Write): Promise<void> {
  for await (const chunk of body) await write(chunk);
}

/** Refuses bytes over a cap, naming it. */
export function tooLarge(maxBytes: number): never {
  fail('http.413', {
    message: `The file is larger than the ${maxBytes} bytes that are allowed.`,
    meta: { max_bytes: maxBytes },
  });
}
