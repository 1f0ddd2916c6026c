import { closeSync, openSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { boundedMap } from '#kernel/limits/bounded-map.ts';
import { StoreError } from '../store-error.ts';

export type Handle = Database.Database;
export type Statement = Database.Statement<unknown[]>;

/** How long SQLite itself waits for another process; it freezes the event loop, so longer waits are ours. */
const BUSY_MS = 250;
const CACHED_STATEMENTS = 500;

/** Opens a database file in WAL mode, making it (readable by its owner alone) when it is missing. */
export async function openFile(file: string): Promise<Handle> {
  try {
    makePrivate(file);
    const handle = new Database(file, { timeout: BUSY_MS });
    try {
      // Only settable before the first page is written, which turning on WAL does.
      await retryWhileLocked(handle, () => handle.pragma('auto_vacuum = INCREMENTAL'));
      const mode = await retryWhileLocked(handle, () => handle.pragma('journal_mode = WAL', { simple: true }));
      if (mode !== 'wal')
        throw new Error(`this file system does not allow WAL mode (it stays in ${String(mode)} mode)`);
      handle.pragma('synchronous = FULL');
      return handle;
    } catch (error) {
      handle.close();
      throw error;
    }
  } catch (error) {
    throw new StoreError(`cannot open the database ${file}: ${(error as Error).message}`, { cause: error });
  }
}

/**
 * Makes the file when it is missing. An existing one is never opened and closed here: closing any descriptor of a file
 * drops every lock this process has on it, also those of a database handle.
 */
export function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Opens a copy of a serialised database in memory. */
export function openImage(image: Uint8Array): Handle {
  return new Database(Buffer.from(image.buffer, image.byteOffset, image.byteLength));
}

export function openMemory(): Handle {
  return new Database(':memory:');
}

/** Repeats what fails because another process holds the file: after SQLite's own wait, without blocking, with jitter. */
export async function retryWhileLocked<R>(handle: Handle, work: () => R, waitMs = 5000): Promise<R> {
  const end = performance.now() + waitMs;
  let waited = false;
  try {
    for (;;) {
      try {
        return work();
      } catch (error) {
        if (!isBusy(error) || performance.now() >= end) throw error;
      }
      if (!waited) handle.pragma('busy_timeout = 0');
      waited = true;
      await wait(5 + Math.random() * 45);
    }
  } finally {
    if (waited && handle.open) handle.pragma(`busy_timeout = ${BUSY_MS}`);
  }
}

export function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');
}

/** Prepared statements by SQL text; the one unused longest goes first. */
export function cacheStatements(handle: Handle, limit = CACHED_STATEMENTS): (text: string) => Statement {
  const cached = boundedMap<string, Statement>(limit);
  return (text) => {
    const statement = cached.get(text) ?? handle.prepare<unknown[]>(text);
    cached.set(text, statement);
    return statement;
  };
}

/** The driver binds every number as REAL, which divides and prints unlike the integer PostgreSQL is given. */
export function bindings(parameters: readonly unknown[]): unknown[] {
  return parameters.map((value) => (Number.isSafeInteger(value) ? BigInt(value as number) : value));
}
