// Installs the PDS with the Node it wants, and compiles its SQLite driver for that Node. Seconds when nothing changed.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const modules = join(here, 'node_modules');
const stamp = join(modules, '.rostra-lock');
const lock = createHash('sha256')
  .update(readFileSync(join(here, 'package-lock.json')))
  .digest('hex');

if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) process.exit(0);

const npm = (args, env) =>
  execFileSync('npm', args, { cwd: here, stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, ...env } });

rmSync(stamp, { force: true });
npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);

const runtime = join(modules, `node-${process.platform}-${process.arch}`);
if (!existsSync(runtime)) throw new Error(`no Node 22 is pinned for ${process.platform}-${process.arch}`);
npm(['rebuild', 'better-sqlite3', '--loglevel=error'], {
  PATH: join(runtime, 'bin') + delimiter + process.env.PATH,
  npm_config_nodedir: runtime,
});
writeFileSync(stamp, lock);
