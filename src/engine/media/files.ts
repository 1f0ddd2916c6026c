import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { link, mkdir, open, readdir, readFile, stat, unlink, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { fail } from '../../kernel/errors.ts';
import { randomHex } from '../../kernel/ids.ts';

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

/** Where the bytes of media items are, by item id. */
export type MediaFiles = Readonly<{
  /** Takes what `fill` writes, up to `maxBytes`; more is refused with http.413. */
  receive(id: string, maxBytes: number, fill: (write: Write) => Promise<void>): Promise<Draft>;
  size(id: string): Promise<number | undefined>;
  /** Lets `look` read in the bytes of an item; undefined when there are none. */
  inspect<T>(id: string, look: (bytes: Bytes) => Promise<T>): Promise<T | undefined>;
  read(id: string): Promise<Uint8Array | undefined>;
  /** Streams from one byte to another, both included. */
  stream(id: string, from: number, to: number): Readable;
  remove(id: string): Promise<void>;
  /** Removes what has not changed since `before` and belongs to nothing `known`; answers how much that was. */
  sweep(before: number, known: (ids: readonly string[]) => Promise<ReadonlySet<string>>): Promise<number>;
}>;

const PART = '.part';
const STEP = 1_048_576;

/** Media files on a local disk, spread over folders by the last two characters of the id, which are random. */
export function localFiles(root: string): MediaFiles {
  const pathOf = (id: string) => join(root, id.slice(-2), id);

  return Object.freeze({
    async receive(id, maxBytes, fill) {
      const path = pathOf(id);
      const temporary = `${path}.${randomHex(6)}${PART}`;
      await makeFolder(root, dirname(path));
      const file = await open(temporary, 'wx+', 0o600);
      const hash = createHash('sha256');
      let size = 0;
      let received = false;
      try {
        await fill(async (chunk) => {
          size += chunk.byteLength;
          if (size > maxBytes) tooLarge(maxBytes);
          hash.update(chunk);
          await file.writeFile(chunk);
        });
        received = true;
      } finally {
        if (!received) await discard(file, temporary);
      }
      return draftOf(file, { temporary, path, size, hash });
    },

    async size(id) {
      const found = await stat(pathOf(id)).catch(absent);
      return found?.size;
    },

    async inspect(id, look) {
      const file = await open(pathOf(id)).catch(absent);
      if (!file) return undefined;
      try {
        const { size } = await file.stat();
        return await look({ size, read: (from, length) => readAt(file, from, length) });
      } finally {
        await file.close();
      }
    },

    read: (id) => readFile(pathOf(id)).catch(absent),
    stream: (id, from, to) => createReadStream(pathOf(id), { start: from, end: to }),
    remove: (id) => unlink(pathOf(id)).catch(absent),

    async sweep(before, known) {
      let removed = 0;
      for (const folder of (await readdir(root).catch(absent)) ?? []) {
        const old = await olderThan(before, join(root, folder));
        const ids = await known(old.filter((name) => !name.endsWith(PART)));
        for (const name of old) {
          if (ids.has(name)) continue;
          await unlink(join(root, folder, name)).catch(absent);
          removed += 1;
        }
      }
      return removed;
    },
  } satisfies MediaFiles);
}

type Received = Readonly<{ temporary: string; path: string; size: number; hash: Hash }>;

function draftOf(file: FileHandle, { temporary, path, size, hash }: Received): Draft {
  let open = true;
  return Object.freeze({
    size,
    sha256: hash.digest('hex'),
    read: (from: number, length: number) => readAt(file, from, length),
    async keep() {
      await file.sync();
      // A link, unlike a rename, refuses to replace: of two uploads to one address the first alone counts.
      const kept = await link(temporary, path).then(
        () => true,
        (error: NodeJS.ErrnoException) => (error.code === 'EEXIST' ? false : Promise.reject(error)),
      );
      if (kept) await syncFolder(dirname(path));
      open = false;
      await discard(file, temporary);
      return kept;
    },
    async drop() {
      if (!open) return;
      open = false;
      await discard(file, temporary);
    },
  });
}

async function discard(file: FileHandle, path: string): Promise<void> {
  await file.close();
  await unlink(path).catch(absent);
}

async function readAt(file: FileHandle, from: number, length: number): Promise<Uint8Array> {
  const buffer = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, from + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

async function makeFolder(root: string, folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (made !== undefined) await syncFolder(root);
}

/** Names are durable only once their folder is. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function olderThan(before: number, folder: string): Promise<string[]> {
  const names = (await readdir(folder).catch(absent)) ?? [];
  const old: string[] = [];
  for (const name of names) {
    const found = await stat(join(folder, name)).catch(absent);
    if (found?.isFile() && found.mtimeMs < before) old.push(name);
  }
  return old;
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
  throw error;
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
