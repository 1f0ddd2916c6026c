import { execFile } from 'node:child_process';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { every, HOUR, MINUTE, systemClock } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import { makeFolders } from '#kernel/folders.ts';
import type { Log } from '#kernel/log.ts';
import type { Meter } from '#kernel/metrics/meter.ts';

const LOOK_MS = MINUTE;
/** When a failed backup is tried again, if the next one is not due earlier. */
const RETRY_MS = 15 * MINUTE;
const NAME = /^rostra-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.tar$/;

const PART = '.part';
/** A temporary file of a backup is removed as a leftover when it is at least this old. */
const LEFT_MS = 6 * HOUR;

const run = promisify(execFile);

type RegularBackup = NonNullable<Config['backup']>;

/** Backs the store up into a folder at intervals, in a separate process, and removes the oldest backups. */
export function backUpRegularly(
  settings: RegularBackup,
  { log, meter, isPaused }: Readonly<{ log: Log; meter: Meter; isPaused: () => boolean }>,
): void {
  let triedAt = -Infinity;
  let isRunning = false;

  async function look(): Promise<void> {
    const now = systemClock.now();
    if (isRunning || isPaused() || now - triedAt < Math.min(RETRY_MS, settings.everyMs)) return;
    isRunning = true;
    try {
      makeFolders(settings.to);
      if (now - lastBackupIn(settings.to) < settings.everyMs) return;
      const file = join(settings.to, nameAt(now));
      await run(process.execPath, [process.argv[1]!, 'backup', file]);
      meter.count('backups', ['made']);
      log.info({ file }, 'a backup was made');
      prune(settings, log);
    } catch (error) {
      triedAt = now;
      const { stderr, message } = error as Error & { stderr?: string };
      meter.count('backups', ['failed']);
      log.warn({ backup_to: settings.to, why: stderr?.trim() || message }, 'the backup failed');
    } finally {
      isRunning = false;
    }
  }

  every(systemClock, LOOK_MS, () => void look());
  void look();
}

const nameAt = (ms: number) => `rostra-${new Date(ms).toISOString().replaceAll(/[-:]|\.\d+/g, '')}.tar`;

/** The backups of a folder, newest first. */
function backupsIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => NAME.test(name))
    .toSorted()
    .toReversed();
}

export function lastBackupIn(folder: string): number {
  const [newest] = backupsIn(folder);
  if (newest === undefined) return -Infinity;
  const [, year, month, day, hour, minute, second] = NAME.exec(newest)!;
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

/** Removes old backups; one that cannot be removed does not make the new one a failure. */
function prune(settings: RegularBackup, log: Log): void {
  try {
    removeOld(settings);
  } catch (error) {
    log.warn({ backup_to: settings.to, why: (error as Error).message }, 'old backups could not be removed');
  }
}

function removeOld({ to, keep }: RegularBackup): void {
  for (const name of backupsIn(to).slice(keep)) rmSync(join(to, name), { force: true });
  // Leftovers of killed backups; a newer one may belong to a backup that is still running.
  for (const name of readdirSync(to)) {
    if (!name.endsWith(PART) || !NAME.test(name.slice(0, -PART.length))) continue;
    const path = join(to, name);
    const { mtimeMs = Infinity } = statSync(path, { throwIfNoEntry: false }) ?? {};
    if (mtimeMs < systemClock.now() - LEFT_MS) rmSync(path, { force: true });
  }
}
