// Installs the server that speaks as S3 does. Seconds when nothing changed.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = join(dirname(fileURLToPath(import.meta.url)), 'npm');
const stamp = join(here, 'node_modules', '.rostra-lock');
const lock = createHash('sha256')
  .update(readFileSync(join(here, 'package-lock.json')))
  .digest('hex');

if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) process.exit(0);

rmSync(stamp, { force: true });
execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
  cwd: here,
  stdio: ['ignore', 'inherit', 'inherit'],
});
writeFileSync(stamp, lock);
