import { readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { makePrivate } from './sqlite-handle.ts';
import { StoreError } from './store-error.ts';

const KEPT = 3;

/** Where the copy made before leaving a schema version goes. */
export function backupOf(file: string, version: number): string {
  return `${file}.v${version}.bak`;
}

/** Copies a database file as it stood at a schema version, by the online backup; the newest three copies are kept. */
export async function backUp(file: string, version: number): Promise<string> {
  const target = backupOf(file, version);
  const part = `${target}.part`;
  try {
    rmSync(part, { force: true });
    makePrivate(part);
    const source = new Database(file, { fileMustExist: true });
    try {
      await source.backup(part);
    } finally {
      source.close();
    }
    renameSync(part, target);
  } catch (error) {
    rmSync(part, { force: true });
    const reason = (error as Error).message;
    throw new StoreError(`cannot copy the database to ${target} before migrating it: ${reason}`, { cause: error });
  }
  prune(file, target);
  return target;
}

function prune(file: string, newest: string): void {
  const folder = dirname(file);
  const older = readdirSync(folder)
    .filter((name) => name.startsWith(`${basename(file)}.v`) && /\.v\d+\.bak$/.test(name))
    .map((name) => join(folder, name))
    .filter((path) => path !== newest)
    .map((path) => ({ path, at: statSync(path).mtimeMs }))
    .sort((a, b) => b.at - a.at);
  for (const { path } of older.slice(KEPT - 1)) rmSync(path, { force: true });
}
