import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../folders.ts';
import { migratedImage } from './images.ts';

/** A file with a migrated database, in a folder that goes with the test. */
export async function migratedFile() {
  const folder = makeFolder();
  const file = join(folder, 'rostra.db');
  writeFileSync(file, await migratedImage());
  return { folder, file };
}
