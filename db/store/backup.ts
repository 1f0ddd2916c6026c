import { readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { makePrivate } from './sqlite/handle.ts';
import { HOME } from './settings.ts';
import { StoreError } from './store-error.ts';

const COPIES_KEPT = 3;

/** The path of the copy that is made before the schema changes from this version. */
function backupOf(file: string, version: number): string {
  return `${file}.v${version}.bak`;
}

/** Makes an online backup of a database file before a migration, and keeps the newest three. */
export async function backUp(file: string, version: number): Promise<string> {
  const target = backupOf(file, version);
  const part = `${target}.part`;
  try {
    rmSync(part, { force: true });
    makePrivate(part);
    const source = new Database(file, { fileMustExist: true });
    try {
      await source.backup(part);
      markCopy(part);
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

/** Marks the file as a copy. If it is put in place of the database, the server starts paused. */
function markCopy(file: string): void {
  const copy = new Database(file, { fileMustExist: true });
  try {
    // In WAL mode, the row would stay in another file when the copy is renamed.
    copy.pragma('journal_mode = DELETE');
    if (copy.prepare("select 1 from sqlite_master where name = 'settings'").get() === undefined) return;
    const home = JSON.stringify({ backupOf: statSync(file).mtime.toISOString() });
    copy.prepare('insert or replace into settings (name, value) values (?, ?)').run(HOME, home);
  } finally {
    copy.close();
  }
}

export function copyUpTo(file: string, version: number): string | undefined {
  const fitting = copiesOf(file).filter((copy) => copy.version <= version);
  return fitting.toSorted((a, b) => b.version - a.version)[0]?.path;
}

function copiesOf(file: string) {
  const folder = dirname(file);
  return readdirSync(folder).flatMap((name) => {
    const version = Number(/\.v(\d+)\.bak$/.exec(name)?.[1]);
    const path = join(folder, name);
    return path === backupOf(file, version) ? [{ path, version }] : [];
  });
}

function prune(file: string, newest: string): void {
  const older = copiesOf(file)
    .filter(({ path }) => path !== newest)
    .map(({ path }) => ({ path, at: statSync(path).mtimeMs }))
    .sort((a, b) => b.at - a.at);
  for (const { path } of older.slice(COPIES_KEPT - 1)) rmSync(path, { force: true });
}
