import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import type { ProcessLock } from '../backend.ts';
import { isBusy, makePrivate, type Handle } from './handle.ts';

const FOLDER = 'processes';

/** Locks a file until the handle is closed; undefined if another process has it. */
function lock(path: string): Handle | undefined {
  const handle = new Database(path, { timeout: 0 });
  try {
    handle.exec('begin exclusive');
    return handle;
  } catch (error) {
    handle.close();
    if (!isBusy(error)) throw error;
    return undefined;
  }
}

/** Whether a process on this machine is using a database file; false if that is not known. */
export function isFileInUse(file: string): boolean {
  const folder = join(dirname(file), FOLDER);
  try {
    const ids = readdirSync(folder).filter((name) => /^[0-9a-f]+$/.test(name));
    return ids.some((id) => {
      const free = lock(join(folder, id));
      free?.close();
      return free === undefined;
    });
  } catch {
    return false;
  }
}

export function makeProcessLock(file: string, id: string): ProcessLock {
  const folder = join(dirname(file), FOLDER);
  const pathOf = (process: string) => join(folder, process);
  let held: Handle | undefined;

  return Object.freeze({
    async hold() {
      if (held !== undefined) return false;
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      makePrivate(pathOf(id));
      held = lock(pathOf(id));
      return held !== undefined;
    },
    losses: () => 0,
    async dead(ids) {
      return ids.filter((other) => {
        if (!existsSync(pathOf(other))) return true;
        const left = lock(pathOf(other));
        if (left === undefined) return false;
        left.close();
        rmSync(pathOf(other), { force: true });
        return true;
      });
    },
    async release() {
      if (held === undefined) return;
      held.close();
      held = undefined;
      rmSync(pathOf(id), { force: true });
    },
  });
}
