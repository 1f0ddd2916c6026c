import { mkdir, open, unlink, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { randomHex } from './ids.ts';

/** Opens a nameless file in the folder; its bytes are freed when the handle is closed. */
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
