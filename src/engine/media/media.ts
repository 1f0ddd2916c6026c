import { join } from 'node:path';
import type { MediaRow } from '../../../db/media.ts';
import type { Store } from '../../../db/open.ts';
import type { MediaSource } from '../../call/ports.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { newId } from '../../kernel/ids.ts';
import { LARGEST_FILE_BYTES } from '../../kernel/limits.ts';
import type { Outbound } from '../../kernel/request.ts';
import type { Sealer } from '../../kernel/seal.ts';
import { makeAddresses, type Addresses } from './addresses.ts';
import { localFiles, type MediaFiles } from './files.ts';
import { itemOf, type MediaItem } from './item.ts';
import { makeSource } from './outgoing.ts';
import { makeShelf } from './shelf.ts';
import { makePut } from './put.ts';
import { makeUploads } from './uploads.ts';

export type { MediaItem } from './item.ts';
export type { Download } from './shelf.ts';

/** What the parts of the room share. */
export type Room = Readonly<{
  store: Pick<Store, 'db' | 'write'>;
  files: MediaFiles;
  clock: Pick<Clock, 'now'>;
  newId: typeof newId;
  outbound: Pick<Outbound, 'send' | 'refusesHost'>;
  addresses: Addresses;
  rootUrl: string;
  maxBytes: number;
  present(row: MediaRow): MediaItem;
}>;

export type Media = ReturnType<typeof makeUploads> &
  ReturnType<typeof makePut> &
  ReturnType<typeof makeShelf> &
  MediaSource &
  Readonly<{
    /** An address the bytes of an item can be read at without a token, for an hour. */
    publicUrl(item: Readonly<{ id: string; filename: string }>): string;
  }>;

type Deps = Pick<Room, 'store' | 'clock' | 'newId' | 'outbound' | 'rootUrl'> &
  Readonly<{
    sealer: Sealer;
    dataDir: string;
    /** The largest file that is taken. */
    maxBytes?: number;
  }>;

const DOWNLOAD_MS = 3_600_000;

/** The media room: uploads, their bytes on disk, signed addresses, and the media of posts. */
export function makeMedia({ sealer, dataDir, maxBytes = LARGEST_FILE_BYTES, ...deps }: Deps): Media {
  const addresses = makeAddresses(sealer);
  const publicUrl: Media['publicUrl'] = ({ id, filename }) => {
    const token = addresses.download({ id, expires_at: deps.clock.now() + DOWNLOAD_MS });
    return `${deps.rootUrl}/media/${token}/${encodeURIComponent(filename)}`;
  };
  const room: Room = Object.freeze({
    ...deps,
    addresses,
    maxBytes,
    files: localFiles(join(dataDir, 'media')),
    present: (row: MediaRow) => itemOf(row, publicUrl(row)),
  });
  return Object.freeze({ ...makeUploads(room), ...makePut(room), ...makeShelf(room), ...makeSource(room), publicUrl });
}
