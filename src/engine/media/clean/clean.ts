import { boundedMap } from '#kernel/limits/bounded-map.ts';
import type { Bytes, Kept } from '../storage/files.ts';
import { cleanJpeg } from './jpeg.ts';
import { cleanMovie } from './movie.ts';
import { makePieces, patched, type Piece, type Pieces, windowed } from './patch.ts';
import { cleanPng } from './png.ts';
import { cleanWebp } from './webp.ts';

type Clean = (bytes: Bytes, pieces: Pieces) => Promise<void>;
type Made = readonly Piece[] | undefined;

const CLEANERS: ReadonlyMap<string, Clean> = new Map([
  ['image/jpeg', cleanJpeg],
  ['image/png', cleanPng],
  ['image/webp', cleanWebp],
  ['video/mp4', cleanMovie],
  ['video/quicktime', cleanMovie],
]);

/** How many files' pieces are cached, and how many pieces a cached file may have; only a hostile one has more. */
const MOST_FILES = 1000;
const MOST_PIECES = 100;

/** Removes camera metadata such as the location from a file, but keeps its colours and orientation. */
export async function withoutCameraData(kept: Kept, contentType: string): Promise<Kept> {
  const clean = CLEANERS.get(contentType);
  return clean === undefined ? kept : asMade(kept, await look(kept, clean));
}

export type CleanStored = (
  kept: Kept,
  file: Readonly<{ content_type: string; sha256: string | null }>,
) => Promise<Kept>;

/** Does the same for stored files; files with the same hash are examined only once. */
export function makeCleanStored(): CleanStored {
  const remembered = boundedMap<string, Readonly<{ made: Made }>>(MOST_FILES);
  return async (kept, { content_type, sha256 }) => {
    const clean = CLEANERS.get(content_type);
    if (clean === undefined) return kept;
    const key = `${sha256} ${content_type}`;
    const known = remembered.get(key) ?? { made: await look(kept, clean) };
    if (sha256 !== null && (known.made?.length ?? 0) <= MOST_PIECES) remembered.set(key, known);
    return asMade(kept, known.made);
  };
}

const asMade = (kept: Kept, made: Made): Kept => (made === undefined ? kept : patched(kept, made));

async function look(kept: Kept, clean: Clean): Promise<Made> {
  const pieces = makePieces();
  await clean(windowed(kept), pieces);
  return pieces.made();
}
