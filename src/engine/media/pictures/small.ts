import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { callOwner } from '../spool.ts';
import { makeFairLine } from './fair-line.ts';
import type { Workshop } from './workshop.ts';

const WIDTH = 640;
const MOST_WAITING = 64;

/** Makes small copies of pictures that are not stored as media, for the sandbox's pages. */
export function makeSmall({
  folder,
  workshop,
}: Readonly<{ folder: string; workshop: Pick<Workshop, 'run'> }>): (
  bytes: Uint8Array,
  type: string,
) => Promise<Buffer | undefined> {
  const enter = makeFairLine({ each: MOST_WAITING, all: MOST_WAITING });

  async function make(bytes: Uint8Array, type: string): Promise<Buffer | undefined> {
    // The sweep of fetched files removes what a killed process leaves here.
    const own = join(folder, callOwner());
    const [from, to] = [join(own, 'original'), join(own, 'small')];
    try {
      await mkdir(own, { recursive: true, mode: 0o700 });
      await writeFile(from, bytes, { mode: 0o600 });
      const result = await workshop.run({ kind: 'thumbnail', from, type, to, width: WIDTH });
      return 'made' in result ? await readFile(to) : undefined;
    } finally {
      await rm(own, { recursive: true, force: true });
    }
  }

  // Without a small copy, the whole picture is shown.
  return async (bytes, type) => enter('sandbox', () => make(bytes, type).catch(() => undefined));
}
