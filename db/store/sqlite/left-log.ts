import { openSync, readFileSync, readSync, statSync, type Stats } from 'node:fs';
import { basename } from 'node:path';
import { StoreError } from '../store-error.ts';

/** Longer than any checkpoint. Only a checkpoint writes to the database later than to the log. */
const LONGEST_CHECKPOINT_MS = 60_000;
/** How long a change of owner or mode may take for all files of a folder, in any order. */
const SWEEP_MS = 2000;
/** Sizes in a write-ahead log: its header and the header of each page (https://sqlite.org/walformat.html). */
const HEADER_BYTES = 32;
const FRAME_BYTES = 24;

/** Refuses to start if the database was replaced but the old log is still there, which SQLite would apply to it. */
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

/** How much later than its log the database was written. For a copy that kept its time, when it arrived. */
const lagOf = (data: Stats, log: Stats): number =>
  data.mtimeMs > log.mtimeMs ? data.mtimeMs - log.mtimeMs : data.ctimeMs - log.ctimeMs - SWEEP_MS;

/** Whether a checkpoint has begun to copy the log into the database; it copies the first page first. */
function isCheckpointed(file: string): boolean {
  const log = readFileSync(`${file}-wal`);
  if (log.length < HEADER_BYTES) return true;
  const size = log.readUInt32BE(8);
  const salt = log.subarray(16, 24);
  let first = Infinity;
  let versions: Buffer[] = [];
  // Frames with another salt are older than the last restart of the log.
  for (let at = HEADER_BYTES; log.subarray(at + 8, at + 16).equals(salt); at += FRAME_BYTES + size) {
    const page = log.readUInt32BE(at);
    if (page < first) versions = [];
    first = Math.min(first, page);
    if (page === first) versions.push(log.subarray(at + FRAME_BYTES, at + FRAME_BYTES + size));
  }
  const stored = Buffer.alloc(size);
  // Do not close the file: that would drop every lock this process has on it.
  if (versions.length > 0) readSync(openSync(file, 'r'), stored, 0, size, (first - 1) * size);
  return versions.length === 0 || versions.some((version) => version.equals(stored));
}
