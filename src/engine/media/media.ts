import { join } from 'node:path';
import type { MediaRow } from '#db/posts/media.ts';
import type { FetchFile, MediaSource, OpenPublished } from '#call/ports.ts';
import { MEDIA_MAX_BYTES } from '#kernel/limits/sizes.ts';
import type { Log } from '#kernel/log.ts';
import type { Sealer } from '#kernel/seal.ts';
import { makeAddresses } from './addresses.ts';
import { makeCleanStored } from './clean/clean.ts';
import type { MediaDeps } from './deps.ts';
import { makeFetchFile } from './fetching.ts';
import { makeFitted } from './fitted.ts';
import { itemOf } from './item.ts';
import { makeLinks } from './links.ts';
import { makeSource } from './outgoing.ts';
import { makeWorkshop, type Workshop } from './pictures/workshop.ts';
import { makePut } from './put.ts';
import { makeSpool } from './spool.ts';
import type { StoredFile } from './storage/files.ts';
import { makeStoredItems } from './stored-items.ts';
import { makeUploadAt } from './upload-address.ts';
import { makeUploads } from './uploads.ts';

export type { Download } from './stored-items.ts';

export type Media = ReturnType<typeof makeUploads> &
  ReturnType<typeof makeUploadAt> &
  ReturnType<typeof makePut> &
  ReturnType<typeof makeStoredItems> &
  MediaSource &
  Readonly<{
    fetchFile: FetchFile;
    openPublished: OpenPublished;
    /** Ends the process that works on pictures. */
    closePictures(): void;
    /** A URL at which an item's bytes are readable without a token, for an hour. */
    publicUrl(item: Readonly<{ id: string; filename: string }>): string;
  }>;

type MediaModuleDeps = Pick<
  MediaDeps,
  'store' | 'lists' | 'files' | 'clock' | 'newId' | 'outbound' | 'rootUrl' | 'bases'
> &
  Readonly<{
    sealer: Sealer;
    log: Pick<Log, 'warn'>;
    /** Where files wait until they are sent. */
    spoolDir: string;
    maxBytes?: number;
    keepMetadata?: boolean;
    workshop?: Workshop;
  }>;

const DOWNLOAD_MS = 3_600_000;

/** The media module: uploads, their bytes, signed URLs, and media of posts. */
export function makeMedia({
  sealer,
  log,
  spoolDir,
  maxBytes = MEDIA_MAX_BYTES,
  keepMetadata = false,
  workshop = makeWorkshop(log),
  ...deps
}: MediaModuleDeps): Media {
  const addresses = makeAddresses(sealer);
  const publicUrl: Media['publicUrl'] = ({ id, filename }) => {
    const token = addresses.download({ id, expires_at: deps.clock.now() + DOWNLOAD_MS, cleaned: false });
    return `${deps.rootUrl}/media/${token}/${encodeURIComponent(filename)}`;
  };
  const warn: Log['warn'] = (...line) => log.warn(...line);
  const room: MediaDeps = Object.freeze({
    ...deps,
    addresses,
    maxBytes,
    spool: makeSpool({ folder: join(spoolDir, 'media'), outbound: deps.outbound, maxBytes }),
    cleanStored: keepMetadata ? async (kept) => kept : makeCleanStored(),
    workshop,
    keepMetadata,
    warn,
    present: (row: MediaRow) => itemOf(row, publicUrl(row)),
    forget: ({ id, sha256 }: StoredFile) =>
      deps.files
        .remove({ id, sha256 })
        .catch((error: unknown) => warn({ error, media_id: id }, 'bytes are left to the sweep')),
  });
  const fitted = makeFitted(room);
  return Object.freeze({
    ...makeUploads(room),
    ...makeUploadAt(room),
    ...makePut(room),
    ...makeStoredItems(room),
    ...makeSource(room, fitted),
    ...makeLinks(room, fitted),
    fit: fitted.fit,
    closePictures: workshop.close,
    fetchFile: makeFetchFile(room),
    publicUrl,
  });
}
