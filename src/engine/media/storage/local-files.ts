import { createReadStream } from 'node:fs';
import { link, mkdir, open, readdir, stat, unlink, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { randomHex } from '#kernel/ids.ts';
import { DERIVED, readAt, takeInto, type Derived, type Draft, type Kept, type MediaFiles } from './files.ts';

const PART = '.part';

/** Whether a folder of this name has media; other folders belong to somebody else. */
export const isMediaFolder = (name: string): boolean => /^\w{2}$/.test(name);

/** Stores media on a local disk, in folders named after the last two characters of the id, which are random. */
export function localFiles(root: string): MediaFiles {
  const pathOf = (id: string) => join(root, id.slice(-2), id);
  const derivedOf = (id: string, name: Derived) => `${pathOf(id)}.${name}`;

  async function receiveAt(path: string, maxBytes: number, fill: Parameters<MediaFiles['receive']>[2]): Promise<Draft> {
    const temporary = `${path}.${randomHex(6)}${PART}`;
    await makeFolder(root, dirname(path));
    const file = await open(temporary, 'wx+', 0o600);
    let received: Received | undefined;
    try {
      received = await takeInto(file, maxBytes, fill);
    } finally {
      if (!received) await discard(file, temporary);
    }
    return draftOf(file, received, { temporary, path });
  }

  return Object.freeze({
    receive: (id, maxBytes, fill) => receiveAt(pathOf(id), maxBytes, fill),

    find: ({ id }) => keptAt(pathOf(id)),

    findDerived: ({ id }, name) => keptAt(derivedOf(id, name)),

    async keepDerived({ id }, name, bytes) {
      const draft = await receiveAt(derivedOf(id, name), bytes.byteLength, (write) => write(bytes));
      try {
        await draft.keep();
      } finally {
        await draft.drop();
      }
    },

    async inspect({ id }, look) {
      const file = await open(pathOf(id)).catch(absent);
      if (!file) return undefined;
      try {
        const { size } = await file.stat();
        return await look({ size, read: (from, length) => readAt(file, from, length) });
      } finally {
        await file.close();
      }
    },

    async remove({ id }) {
      for (const path of [...DERIVED.map((name) => derivedOf(id, name)), pathOf(id)]) await unlink(path).catch(absent);
    },

    async sweep(before, known) {
      let removed = 0;
      for (const folder of ((await readdir(root).catch(absent)) ?? []).filter(isMediaFolder)) {
        const old = await olderThan(before, join(root, folder));
        const idOf = (name: string) => (name.endsWith(PART) ? '' : name.split('.', 1)[0]!);
        const ids = await known([...new Set(old.map(idOf))]);
        for (const name of old) {
          if (ids.has(idOf(name))) continue;
          await unlink(join(root, folder, name)).catch(absent);
          removed += 1;
        }
      }
      return removed;
    },
  } satisfies MediaFiles);
}

export async function keptAt(path: string): Promise<Kept | undefined> {
  const found = await stat(path).catch(absent);
  return (
    found && {
      path,
      size: found.size,
      stream: (from, to) => createReadStream(path, { start: from, end: to }),
      async read(from, length) {
        const file = await open(path);
        try {
          return await readAt(file, from, length);
        } finally {
          await file.close();
        }
      },
    }
  );
}

type Received = Awaited<ReturnType<typeof takeInto>>;
type Paths = Readonly<{ temporary: string; path: string }>;

function draftOf(file: FileHandle, received: Received, { temporary, path }: Paths): Draft {
  let open = true;
  return Object.freeze({
    ...received,
    read: (from: number, length: number) => readAt(file, from, length),
    async keep() {
      await file.sync();
      // Unlike a rename, a link never replaces a file: of two uploads to one URL only the first counts.
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

async function makeFolder(root: string, folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (made !== undefined) await syncFolder(root);
}

/** A new name is durable only once its folder is flushed. */
export async function syncFolder(folder: string): Promise<void> {
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

export function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
  throw error;
}
