import { openSync, readFileSync, readSync, statSync, type Stats } from 'node:fs';
import { basename } from 'node:path';
import { StoreError } from '../store-error.ts';

/** Longer than a checkpoint takes: the only time at which SQLite writes to the database after it wrote to the log. */
const LONGEST_CHECKPOINT_MS = 60_000;
/** Within so much time a change of owner or mode goes through a folder, in any order. */
const SWEEP_MS = 2000;
/** The layout of a write-ahead log: its header, and that of each page in it (https://sqlite.org/walformat.html). */
const HEADER_BYTES = 32;
const FRAME_BYTES = 24;

/**
 * Refuses a database file that was put in the place of another one, whose write-ahead log a killed server has left:
 * SQLite takes the log for that of the file, and mixes the two, often without noticing. Whoever put it there has to say
 * so by removing the log, which may hold the last things that were done.
 */
export function refuseForeignLog(file: string): void {
  const [data, log] = [statOf(file), statOf(`${file}-wal`)];
  if (!data || !log || log.size === 0) return;
  const lag = lagOf(data, log);
  if (lag <= 0 || (lag < LONGEST_CHECKPOINT_MS && isCheckpointed(file))) return;
  const name = basename(file);
  throw new StoreError(
    `the database ${file} was changed after its write-ahead log, so ${name}-wal seems to be of the database that was there before: if you did not put another database there, run "touch ${file}-wal" and start again; if you restored a copy, remove ${name}-wal and ${name}-shm`,
  );
}

const statOf = (file: string): Stats | undefined => statSync(file, { throwIfNoEntry: false });

/**
 * How much later the database was written than its log, in milliseconds. A copy that keeps its time of writing shows by
 * when it came there.
 */
const lagOf = (data: Stats, log: Stats): number =>
  data.mtimeMs > log.mtimeMs ? data.mtimeMs - log.mtimeMs : data.ctimeMs - log.ctimeMs - SWEEP_MS;

/** Whether a checkpoint has begun to copy the log into the database: it copies the pages in order, so the first at least. */
function isCheckpointed(file: string): boolean {
  const log = readFileSync(`${file}-wal`);
  if (log.length < HEADER_BYTES) return true;
  const size = log.readUInt32BE(8);
  const salt = log.subarray(16, 24);
  let first = Infinity;
  let versions: Buffer[] = [];
  // Frames with another salt are what the log held before it was begun anew.
  for (let at = HEADER_BYTES; log.subarray(at + 8, at + 16).equals(salt); at += FRAME_BYTES + size) {
    const page = log.readUInt32BE(at);
    if (page < first) versions = [];
    first = Math.min(first, page);
    if (page === first) versions.push(log.subarray(at + FRAME_BYTES, at + FRAME_BYTES + size));
  }
  const stored = Buffer.alloc(size);
  // Never closed: that would drop every lock this process has on the file.
  if (versions.length > 0) readSync(openSync(file, 'r'), stored, 0, size, (first - 1) * size);
  return versions.length === 0 || versions.some((version) => version.equals(stored));
}
