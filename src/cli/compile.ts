import { globSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { loadBundle } from '#serve/web/live/bundle.ts';

/** The program of a process of its own: loading it would start it. */
const PROCESS = 'src/engine/media/pictures/picture-process.ts';
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Loads what the server loads, and from the sources everything else, so that the cache of compiled code has it. */
export async function compileProgram(): Promise<void> {
  const files = globSync(['{db,oauth,sandbox,tools}/**/*.ts', 'src/*/**/*.ts'], { cwd: ROOT, exclude: [PROCESS] });
  await Promise.all([
    import('./serve.ts'),
    loadBundle(ROOT),
    ...files.map((file) => import(pathToFileURL(join(ROOT, file)).href)),
  ]);
}
