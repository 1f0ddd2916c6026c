import type { Bytes, Kept } from '../storage/files.ts';
import { cleanJpeg } from './jpeg.ts';
import { cleanMovie } from './movie.ts';
import { makePieces, patched, type Pieces, windowed } from './patch.ts';
import { cleanPng } from './png.ts';
import { cleanWebp } from './webp.ts';

const CLEANERS: ReadonlyMap<string, (bytes: Bytes, pieces: Pieces) => Promise<void>> = new Map([
  ['image/jpeg', cleanJpeg],
  ['image/png', cleanPng],
  ['image/webp', cleanWebp],
  ['video/mp4', cleanMovie],
  ['video/quicktime', cleanMovie],
]);

/**
 * A file without what cameras write into it beside the picture, such as where it was taken: what platforms get may
 * become public as it is. Colours stay what they are, and the picture is turned as before.
 */
export async function withoutCameraData(kept: Kept, contentType: string): Promise<Kept> {
  const clean = CLEANERS.get(contentType);
  if (clean === undefined) return kept;
  const pieces = makePieces();
  await clean(windowed(kept), pieces);
  const made = pieces.made();
  return made === undefined ? kept : patched(kept, made);
}
