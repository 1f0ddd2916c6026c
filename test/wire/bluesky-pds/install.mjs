// Installs the PDS with the Node it wants, and compiles its SQLite driver for that Node. Seconds when nothing changed.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { install } from '../installed.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));

install(here, (npm) => {
  const runtime = join(here, 'node_modules', `node-${process.platform}-${process.arch}`);
  if (!existsSync(runtime)) throw new Error(`no Node 22 is pinned for ${process.platform}-${process.arch}`);
  npm(['rebuild', 'better-sqlite3', '--loglevel=error'], {
    PATH: join(runtime, 'bin') + delimiter + process.env.PATH,
    npm_config_nodedir: runtime,
  });
});
