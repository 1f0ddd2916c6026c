import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const here = join(import.meta.dirname, 'npm');
const modules = join(here, 'node_modules');

/** Tells whether install.mjs has been run; the tests that need the clients are skipped otherwise. */
export function areClientsInstalled(): boolean {
  return existsSync(join(modules, '.rostra-lock'));
}

/** The program behind `npx mcp-socialapi`. */
export const mcpClientProgram = join(modules, 'mcp-socialapi', 'dist', 'index.js');

/** Loads a CommonJS module of what install.mjs has installed. */
export const requireClient = createRequire(join(here, 'package.json'));
