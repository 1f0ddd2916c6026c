import { existsSync, mkdirSync, statSync } from 'node:fs';
import { mkdir, open, unlink, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { randomHex } from './ids.ts';

/**
 * Makes a private folder and its parents; an existing folder is left unchanged. Not by Node's `recursive`, which never
 * returns where a file system such as /proc refuses a folder with ENOENT.
 */
export function makeFolders(folder: string): void {
  const above = dirname(folder);
  if (above !== folder && !existsSync(above)) makeFolders(above);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    const exists = (error as NodeJS.ErrnoException).code === 'EEXIST' && statSync(folder).isDirectory();
    if (!exists) throw error;
  }
}

/** Opens a temporary file without a name; its bytes are freed when the handle is closed. */
export async function openScratch(folder: string, kind: string): Promise<FileHandle> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${kind}-${randomHex(12)}`);
  const file = await open(path, 'wx+', 0o600);
  try {
    await unlink(path);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}
