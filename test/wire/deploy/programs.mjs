import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FETCHED = fileURLToPath(new URL('../../../.runtime/programs/root', import.meta.url));

/** Where a program is, on this machine or fetched by install.mjs; undefined where it is not. */
export const pathOf = (program) =>
  ['', FETCHED]
    .flatMap((root) => ['/usr/sbin', '/usr/bin', '/usr/local/bin'].map((folder) => join(root || '/', folder, program)))
    .find((path) => existsSync(path));

/** Where a fetched program in Python finds its modules. */
export const PYTHON = { PYTHONPATH: join(FETCHED, 'usr/lib/python3/dist-packages') };
