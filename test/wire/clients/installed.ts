import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe } from 'vitest';
import { isUpToDate } from '../installed.mjs';

const here = join(import.meta.dirname, 'npm');
const modules = join(here, 'node_modules');

// Those of another lock file lack what tests of today look for.
const isInstalled = isUpToDate(here);
if (!isInstalled) process.stderr.write('public clients: skipped, run node test/wire/clients/install.mjs first\n');

/** Tests of what install.mjs has installed; they are skipped where it was not run since the lock file changed. */
export const describeClients = describe.skipIf(!isInstalled);

/** The program behind `npx mcp-socialapi`. */
export const mcpClientProgram = join(modules, 'mcp-socialapi', 'dist', 'index.js');

/** Loads a CommonJS module of what install.mjs has installed. */
export const requireClient = createRequire(join(here, 'package.json'));
