import { closeSync, openSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { boundedMap } from '#kernel/limits/bounded-map.ts';
import { StoreError } from '../store-error.ts';

export type Handle = Database.Database;
export type Statement = Database.Statement<unknown[]>;

/** SQLite blocks the event loop while it waits; longer waits are in `retryWhileLocked`. */
const BUSY_MS = 250;
const CACHED_STATEMENTS = 500;

/** Opens a database file in WAL mode. A new one can be read only by its owner. */
export async function openFile(file: string): Promise<Handle> {
  try {
    makePrivate(file);
    const handle = new Database(file, { timeout: BUSY_MS });
    try {
      // Must be set before the first page is written, which switching to WAL mode does.
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

/** Creates a missing file. Never opens an existing one, because closing any descriptor of it drops all locks. */
export function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

export function openImage(image: Uint8Array): Handle {
  return new Database(Buffer.from(image.buffer, image.byteOffset, image.byteLength));
}

export function openMemory(): Handle {
  return new Database(':memory:');
}

/** Retries while another process locks the file, with jitter and without blocking the event loop. */
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

export function cacheStatements(handle: Handle, limit = CACHED_STATEMENTS): (text: string) => Statement {
  const cached = boundedMap<string, Statement>(limit);
  return (text) => {
    const statement = cached.get(text) ?? handle.prepare<unknown[]>(text);
    cached.set(text, statement);
    return statement;
  };
}

/** The driver binds numbers as REAL, which are divided and printed differently from PostgreSQL's integers. */
export function bindings(parameters: readonly unknown[]): unknown[] {
  return parameters.map((value) => (Number.isSafeInteger(value) ? BigInt(value as number) : value));
}
