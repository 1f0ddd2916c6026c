import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe } from 'vitest';

const here = join(import.meta.dirname, 'npm');
const modules = join(here, 'node_modules');

const isInstalled = existsSync(join(modules, '.rostra-lock'));
if (!isInstalled) process.stderr.write('public clients: skipped, run node test/wire/clients/install.mjs first\n');

/** Tests of what install.mjs has installed; they are skipped where it was not run. */
export const describeClients = describe.skipIf(!isInstalled);

/** The program behind `npx mcp-socialapi`. */
export const mcpClientProgram = join(modules, 'mcp-socialapi', 'dist', 'index.js');

/** Loads a CommonJS module of what install.mjs has installed. */
export const requireClient = createRequire(join(here, 'package.json'));
