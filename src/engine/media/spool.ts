import { mkdir, open, readdir, rename, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { randomHex } from '#kernel/ids.ts';
import type { Clock } from '#kernel/clock.ts';
import type { Log } from '#kernel/log.ts';
import type { Outbound } from '#kernel/net/request.ts';
import { sha256 } from '#kernel/sign.ts';
import { download, PUBLISH_DEADLINE_MS } from './sources.ts';
import { takeInto, type Kept } from './storage/files.ts';
import { absent, keptAt, syncFolder } from './storage/local-files.ts';

type SpoolDeps = Readonly<{
  folder: string;
  outbound: Pick<Outbound, 'send'>;
  clock: Pick<Clock, 'now'>;
  maxBytes: number;
  warn: Log['warn'];
}>;

/** `given`: a user gave the URL, not a platform; `most`: the most bytes; `deadlineMs`: how long it may take. */
export type FetchHow = Readonly<{ given?: boolean; most?: number; deadlineMs?: number }>;

const CALL = 'call-';

export const callOwner = () => CALL + randomHex(12);

/** Stores files that were fetched from URLs, in a folder for each owner. */
export function makeSpool({ folder, outbound, clock, maxBytes, warn }: SpoolDeps) {
  const folderOf = (owner: string) => join(folder, owner);
  /** Folders that this process created. Checking the disk instead would slow down every post without media. */
  const made = new Set<string>();
  /** Until when platforms may fetch an owner's files. */
  const lent = new Map<string, number>();
  const isLent = (owner: string) => (lent.get(owner) ?? 0) > clock.now();
  async function remove(owner: string): Promise<void> {
    made.delete(owner);
    lent.delete(owner);
    await rm(folderOf(owner), { recursive: true, force: true });
  }

  return Object.freeze({
    /** The file fetched from a URL; downloads it if the owner does not have it yet. */
    fileOf: (owner: string, url: string, how: FetchHow = {}) =>
      keptOr(owner, sha256(url), (part) => fetchInto(part, url, how)),

    /** The owner's file of this name; `write` creates it if it is missing. */
    madeOf: (owner: string, name: string, write: (part: string) => Promise<void>) => keptOr(owner, name, write),

    /** A copy of a file that is stored elsewhere. */
    copyOf(owner: string, name: string, kept: Kept): Promise<Kept> {
      const all = () => kept.stream(0, kept.size - 1);
      return keptOr(owner, name, (part) => writeFile(part, all(), { flag: 'wx', mode: 0o600 }));
    },

    nameOf: (owner: string, url: string) => `${owner}/${sha256(url)}`,

    /** The name of a file that was made here, for its URL. */
    nameIn: (owner: string, { path }: Kept) => `${owner}/${basename(path!)}`,

    ownerOf: (name: string) => name.slice(0, name.indexOf('/')),

    find: (name: string) => keptAt(join(folder, name)),

    /** Keeps an owner's files until then, even if they are dropped earlier. */
    lend(owner: string, until: number): void {
      if (made.has(owner)) lent.set(owner, until);
    },

    /** Tries to remove an owner's files; lent files and those of an earlier process are left to the sweep. */
    async drop(owner: string): Promise<void> {
      if (!made.has(owner) || isLent(owner)) return;
      await remove(owner).catch((error: unknown) => warn({ error, owner }, 'fetched files are left to the sweep'));
    },

    /** Removes files older than `before` that belong to completed targets or to calls that were interrupted. */
    async sweep(
      before: number,
      openAmong: (targets: readonly string[]) => Promise<ReadonlySet<string>>,
    ): Promise<void> {
      const owners = (await readdir(folder).catch(absent)) ?? [];
      const open = await openAmong(owners.filter((owner) => !owner.startsWith(CALL)));
      for (const owner of owners.filter((one) => !open.has(one))) {
        const found = await stat(folderOf(owner)).catch(absent);
        if (found && found.mtimeMs < before && !isLent(owner)) await remove(owner);
      }
    },
  });

  async function keptOr(owner: string, name: string, write: (part: string) => Promise<void>): Promise<Kept> {
    made.add(owner);
    const path = join(folderOf(owner), name);
    return (await keptAt(path)) ?? (await writeInto(path, write));
  }

  /** A file becomes visible only when complete. */
  async function writeInto(path: string, write: (part: string) => Promise<void>): Promise<Kept> {
    const part = `${path}.${randomHex(6)}`;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    try {
      await write(part);
      await rename(part, path);
    } catch (error) {
      await unlink(part).catch(absent);
      throw error;
    }
    await syncFolder(dirname(path));
    return (await keptAt(path))!;
  }

  async function fetchInto(part: string, url: string, how: FetchHow): Promise<void> {
    const { given = true, most = maxBytes, deadlineMs = PUBLISH_DEADLINE_MS } = how;
    const file = await open(part, 'wx', 0o600);
    try {
      const request = { url, field: 'media', maxBytes: most, deadlineMs, given };
      await takeInto(file, most, (write) => download(outbound, request, write));
      await file.sync();
    } finally {
      await file.close();
    }
  }
}

export type Spool = ReturnType<typeof makeSpool>;
