import { globSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { loadBundle } from '#serve/web/live/bundle.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Loads every source file, to fill the compile cache, and bundles the dashboard's scripts. */
export async function compileSources(): Promise<void> {
  const files = globSync(['{db,oauth,tools}/**/*.ts', 'src/*/**/*.ts'], { cwd: ROOT });
  await Promise.all([loadBundle(ROOT), ...files.map((file) => import(pathToFileURL(join(ROOT, file)).href))]);
}
