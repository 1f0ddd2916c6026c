import { globSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { loadBundle } from '#serve/web/live/bundle.ts';

/** The program of a process of its own: loading it would start it. */
const PROCESS = 'src/engine/media/pictures/picture-process.ts';
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export async function compileSources(): Promise<void> {
  const files = globSync(['{db,oauth,sandbox,tools}/**/*.ts', 'src/*/**/*.ts'], { cwd: ROOT, exclude: [PROCESS] });
  await Promise.all([loadBundle(ROOT), ...files.map((file) => import(pathToFileURL(join(ROOT, file)).href))]);
}
