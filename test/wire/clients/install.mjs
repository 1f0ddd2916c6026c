// Installs the public clients and what they need to run. Seconds when nothing changed.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Apart from the tests themselves, which must not find the clients' older libraries first.
const here = join(dirname(fileURLToPath(import.meta.url)), 'npm');
const stamp = join(here, 'node_modules', '.rostra-lock');
const lock = createHash('sha256')
  .update(readFileSync(join(here, 'package-lock.json')))
  .digest('hex');

if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) process.exit(0);

rmSync(stamp, { force: true });
// n8n-workflow names a native sandbox for expressions that the nodes never use: nothing has to be compiled.
execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
  cwd: here,
  stdio: ['ignore', 'inherit', 'inherit'],
});
writeFileSync(stamp, lock);
