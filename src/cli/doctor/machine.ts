import { accessSync, constants, existsSync, readdirSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '#kernel/config/config.ts';
import { HOUR, systemClock } from '#kernel/clock.ts';
import { lastBackupIn } from '../regular-backup.ts';
import { failure, ok, warning, type CheckResult } from '#engine/readiness/checks.ts';

const MB = 1_000_000;
const LEAST_FREE = 200 * MB;
const LITTLE_FREE = 1_000 * MB;

/** Room on the disk, the key's file, and the backups. */
export function checkMachine(config: Config): readonly CheckResult[] {
  const { dataDir } = config;
  return [checkDisk(dataDir), ...checkKeyFile(config), ...checkLeftovers(config), ...checkBackups(config)];
}

/** What keeps this user from using DATA_DIR. */
export function checkFolder(dataDir: string): CheckResult | undefined {
  try {
    if (!statSync(dataDir).isDirectory()) return failure('DATA_DIR', `${dataDir} is not a folder`, 'correct DATA_DIR');
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT')
      return failure(
        'DATA_DIR',
        `there is no folder ${dataDir}`,
        'set DATA_DIR as for the server, or start the server once',
      );
    const todo = code === 'EROFS' ? 'mount its disk for writing' : 'run this as the user of the server';
    return failure('DATA_DIR', `${dataDir} cannot be read and written (${code})`, todo);
  }
}

function checkDisk(dataDir: string): CheckResult {
  const { bavail, bsize } = statfsSync(dataDir);
  const free = bavail * bsize;
  const found = `${Math.floor(free / MB)} MB are free at ${dataDir}`;
  const todo = 'make room, or move DATA_DIR to a larger disk';
  if (free < LEAST_FREE) return failure('disk', found, todo);
  return free < LITTLE_FREE ? warning('disk', found, todo) : ok('disk', found);
}

function checkKeyFile({ dataDir, masterKeys }: Config): readonly CheckResult[] {
  const file = join(dataDir, 'master.key');
  if (masterKeys.length > 0 || !existsSync(file)) return [];
  const isOpen = process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0;
  return isOpen
    ? [warning('key file', `other users of this machine can read ${file}`, `chmod 600 ${file}`)]
    : [ok('key file', `only its owner can read ${file}`)];
}

/** Finds folders of backups and restores that were interrupted. */
function checkLeftovers({ dataDir }: Config): readonly CheckResult[] {
  const old = readdirSync(dataDir).filter(
    (name) => /^\.(?:backup|restore)-/.test(name) && systemClock.now() - statSync(join(dataDir, name)).mtimeMs > HOUR,
  );
  if (old.length === 0) return [];
  return [
    warning('leftovers', `a backup or restore was broken off: ${old.join(', ')} in ${dataDir}`, 'remove these folders'),
  ];
}

function checkBackups({ backup }: Config): readonly CheckResult[] {
  if (backup === undefined) return [];
  const { to, everyMs } = backup;
  const last = existsSync(to) ? lastBackupIn(to) : -Infinity;
  const age = systemClock.now() - last;
  if (age <= 2 * everyMs) return [ok('backups', `the last one is ${Math.round(age / HOUR)} hours old`)];
  const found = last === -Infinity ? `there is none in ${to}` : `the last one is ${Math.round(age / HOUR)} hours old`;
  return [failure('backups', found, 'look for "the backup failed" in the log, and run `rostra backup` by hand')];
}
