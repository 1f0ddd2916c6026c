import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { openScratch } from '#kernel/folders.ts';
import { sha256 } from '#kernel/sign.ts';
import type { Bucket } from './bucket.ts';
import {
  DERIVED,
  readAt,
  takeInto,
  WIDTHS,
  type Derived,
  type Kept,
  type MediaFiles,
  type StoredFile,
} from './files.ts';

type BucketFilesDeps = Readonly<{
  bucket: Bucket;
  /** Where bytes are stored until they are sent or inspected; even a crash leaves nothing there. */
  spoolDir: string;
  /** Stored in the bucket to mark it as this server's. */
  owner: string;
}>;

export type BucketFiles = MediaFiles &
  Readonly<{
    /** Whether the bucket belongs to this server; claims it if it belongs to none. */
    isOurs(): Promise<boolean>;
  }>;

const FOLDER = 'media/';
const OWNER_KEY = 'rostra-owner';
const KEY = new RegExp(String.raw`^media/(med_[0-9a-z]+)/([0-9a-f]{64})(?:\.(?:${WIDTHS.join('|')})\.webp)?$`);
const WINDOW = 1_048_576;
const STEP = 65_536;

function makeReader(bucket: Bucket) {
  /** Yields an object in windows, so that slow readers do not keep a response open. */
  async function* windows(key: string, from: number, to = Infinity): AsyncGenerator<Window> {
    for (let at = from; at <= to;) {
      const part = await bucket.get(key, at, Math.min(WINDOW, to - at + 1));
      if (!part) throw new Gone();
      yield { ...part, at };
      at += part.bytes.byteLength;
      if (at >= part.size) return;
    }
  }

  async function whole<T>(
    file: StoredFile,
    take: (parts: AsyncGenerator<Window>) => Promise<T>,
  ): Promise<T | undefined> {
    const key = keyOf(file);
    if (key === undefined) return undefined;
    return take(windows(key, 0)).catch((error: unknown) => {
      if (error instanceof Gone) return undefined;
      throw error;
    });
  }

  return { windows, whole };
}

/** Checks whether the bucket belongs to this server, and claims it if it belongs to none. */
function makeOwnership(bucket: Bucket, owner: string): () => Promise<boolean> {
  async function readOwner(): Promise<string | undefined> {
    const found = await bucket.get(OWNER_KEY, 0, 256);
    return found && Buffer.from(found.bytes).toString('utf8');
  }

  return async function isOurs(): Promise<boolean> {
    const found = await readOwner();
    if (found !== undefined) return found === owner;
    const bytes = Buffer.from(owner);
    await bucket.put(OWNER_KEY, { size: bytes.byteLength, sha256: sha256(bytes), body: () => bytes });
    return (await readOwner()) === owner;
  };
}

/** Stores media in a bucket. Keys contain the hash of the content, so objects never change, even in races. */
export function bucketFiles({ bucket, spoolDir, owner }: BucketFilesDeps): BucketFiles {
  const { windows, whole } = makeReader(bucket);
  const isOurs = makeOwnership(bucket, owner);

  async function findAt(key: string | undefined): Promise<Kept | undefined> {
    const size = key === undefined ? undefined : await bucket.size(key);
    if (key === undefined || size === undefined) return undefined;
    return {
      size,
      stream: (from, to) => Readable.from(bytesOf(windows(key, from, to)), { objectMode: false }),
      async read(from, length) {
        const all = new Uint8Array(Math.max(0, Math.min(length, size - from)));
        for await (const { bytes, at } of windows(key, from, from + all.length - 1)) all.set(bytes, at - from);
        return all;
      },
    };
  }

  return Object.freeze({
    isOurs,

    async receive(id, maxBytes, fill) {
      const file = await openScratch(spoolDir, 'media');
      let received: Awaited<ReturnType<typeof takeInto>> | undefined;
      try {
        received = await takeInto(file, maxBytes, fill);
      } finally {
        if (!received) await file.close();
      }
      const { size, sha256: hash } = received;
      return Object.freeze({
        size,
        sha256: hash,
        read: (from: number, length: number) => readAt(file, from, length),
        async keep() {
          const body = () => Readable.from(piecesOf(file, size), { objectMode: false });
          await bucket.put(keyOf({ id, sha256: hash })!, { size, sha256: hash, body });
          return true;
        },
        // Closing twice is harmless.
        drop: () => file.close(),
      });
    },

    find: (file) => findAt(keyOf(file)),

    findDerived: (file, name) => findAt(derivedOf(file, name)),

    async keepDerived(file, name, bytes) {
      const key = derivedOf(file, name);
      if (key === undefined) return;
      await bucket.put(key, { size: bytes.byteLength, sha256: sha256(bytes), body: () => bytes });
    },

    async inspect(storedFile, look) {
      const file = await openScratch(spoolDir, 'media');
      try {
        const size = await whole(storedFile, async (parts) => {
          let written = 0;
          for await (const { bytes } of parts) {
            await file.writeFile(bytes);
            written += bytes.byteLength;
          }
          return written;
        });
        return size === undefined
          ? undefined
          : await look({ size, read: (from, length) => readAt(file, from, length) });
      } finally {
        await file.close();
      }
    },

    async remove(file) {
      const keys = [...DERIVED.map((name) => derivedOf(file, name)), keyOf(file)];
      await Promise.all(keys.flatMap((key) => (key === undefined ? [] : [bucket.remove(key)])));
    },

    async sweep(before, known) {
      if (!(await isOurs())) throw new Error('the media bucket belongs to another installation; nothing is removed');
      let removed = 0;
      for await (const page of bucket.list(FOLDER)) {
        const old = page.flatMap(({ key, changed }) => (changed < before ? filesOf(key) : []));
        const rows = await known([...new Set(old.map(({ id }) => id))]);
        for (const { id, sha256: hash, key } of old) {
          if (rows.get(id) === hash) continue;
          await bucket.remove(key);
          removed += 1;
        }
      }
      return removed;
    },
  } satisfies BucketFiles);
}

/** Writes to the bucket, but also reads files that were stored on disk before the bucket was configured. */
export function withOlderFiles(files: MediaFiles, older: MediaFiles): MediaFiles {
  return Object.freeze({
    receive: files.receive,
    find: async (file) => (await files.find(file)) ?? older.find(file),
    findDerived: async (file, name) => (await files.findDerived(file, name)) ?? older.findDerived(file, name),
    keepDerived: files.keepDerived,
    inspect: async (file, look) => (await files.inspect(file, look)) ?? older.inspect(file, look),
    async remove(file) {
      await older.remove(file);
      await files.remove(file);
    },
    sweep: async (before, known) => (await older.sweep(before, known)) + (await files.sweep(before, known)),
  } satisfies MediaFiles);
}

type Window = Readonly<{ bytes: Uint8Array; size: number; at: number }>;

/** Thrown if an object was removed or never existed. */
class Gone extends Error {
  override name = 'Gone';
}

function keyOf({ id, sha256: hash }: StoredFile): string | undefined {
  return hash === null ? undefined : `${FOLDER}${id}/${hash}`;
}

const derivedOf = (file: StoredFile, name: Derived) => {
  const key = keyOf(file);
  return key === undefined ? undefined : (`${key}.${name}` as const);
};

/** The file that a key belongs to; none for keys of others, which must not be touched. */
function filesOf(key: string): readonly (StoredFile & Readonly<{ key: string }>)[] {
  const [, id, hash] = KEY.exec(key) ?? [];
  return id === undefined || hash === undefined ? [] : [{ id, sha256: hash, key }];
}

async function* bytesOf(parts: AsyncGenerator<Window>): AsyncGenerator<Uint8Array> {
  for await (const { bytes } of parts) yield bytes;
}

async function* piecesOf(file: FileHandle, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size; at += STEP) yield await readAt(file, at, Math.min(STEP, size - at));
}
