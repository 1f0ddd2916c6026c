import type { MediaRow } from '../../../db/posts/media.ts';
import type { Store } from '../../../db/store/store.ts';
import type { FetchFile, MediaSource } from '../../call/ports.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { newId } from '../../kernel/ids.ts';
import { LARGEST_FILE_BYTES } from '../../kernel/limits/sizes.ts';
import type { Log } from '../../kernel/log.ts';
import type { Outbound } from '../../kernel/net/request.ts';
import type { Sealer } from '../../kernel/seal.ts';
import { makeAddresses, type Addresses } from './addresses.ts';
import { makeFetchFile } from './fetching.ts';
import type { MediaFiles, Place } from './files.ts';
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
  /** Removes bytes whose item is gone or failed. That they cannot be removed now undoes nothing: the sweep finds them. */
  forget(place: Place): Promise<void>;
}>;

export type Media = ReturnType<typeof makeUploads> &
  ReturnType<typeof makePut> &
  ReturnType<typeof makeShelf> &
  MediaSource &
  Readonly<{
    fetchFile: FetchFile;
    /** An address the bytes of an item can be read at without a token, for an hour. */
    publicUrl(item: Readonly<{ id: string; filename: string }>): string;
  }>;

type Deps = Pick<Room, 'store' | 'files' | 'clock' | 'newId' | 'outbound' | 'rootUrl'> &
  Readonly<{
    sealer: Sealer;
    log: Pick<Log, 'warn'>;
    /** The largest file that is taken. */
    maxBytes?: number;
  }>;

const DOWNLOAD_MS = 3_600_000;

/** The media room: uploads, their bytes, signed addresses, and the media of posts. */
export function makeMedia({ sealer, log, maxBytes = LARGEST_FILE_BYTES, ...deps }: Deps): Media {
  const addresses = makeAddresses(sealer);
  const publicUrl: Media['publicUrl'] = ({ id, filename }) => {
    const token = addresses.download({ id, expires_at: deps.clock.now() + DOWNLOAD_MS });
    return `${deps.rootUrl}/media/${token}/${encodeURIComponent(filename)}`;
  };
  const room: Room = Object.freeze({
    ...deps,
    addresses,
    maxBytes,
    present: (row: MediaRow) => itemOf(row, publicUrl(row)),
    forget: ({ id, sha256 }: Place) =>
      deps.files
        .remove({ id, sha256 })
        .catch((error: unknown) => log.warn({ error, media_id: id }, 'bytes are left to the sweep')),
  });
  return Object.freeze({
    ...makeUploads(room),
    ...makePut(room),
    ...makeShelf(room),
    ...makeSource(room),
    fetchFile: makeFetchFile(room),
    publicUrl,
  });
}
