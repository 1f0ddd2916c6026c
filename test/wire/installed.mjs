import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const stampOf = (folder) => join(folder, 'node_modules', '.rostra-lock');
const lockOf = (folder) =>
  createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');

/** Whether a folder stands installed as its lock file says. */
export const isUpToDate = (folder) =>
  existsSync(stampOf(folder)) && readFileSync(stampOf(folder), 'utf8') === lockOf(folder);

/** Installs a folder as its lock file says, and does what comes after it; nothing when it stands there already. */
export function install(folder, after = (_npm) => {}) {
  if (isUpToDate(folder)) return;
  const [stamp, lock] = [stampOf(folder), lockOf(folder)];

  const npm = (args, env) =>
    execFileSync('npm', args, {
      cwd: folder,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, ...env },
    });
  rmSync(stamp, { force: true });
  npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);
  after(npm);
  writeFileSync(stamp, lock);
}
