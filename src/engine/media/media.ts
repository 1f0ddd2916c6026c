import { join } from 'node:path';
import type { MediaRow } from '#db/posts/media.ts';
import type { FetchFile, MediaSource, OpenPublished } from '#call/ports.ts';
import { HOUR } from '#kernel/clock.ts';
import { MEDIA_MAX_BYTES } from '#kernel/limits/sizes.ts';
import type { Log } from '#kernel/log.ts';
import type { Sealer } from '#kernel/seal.ts';
import { makeAddresses, type Addresses } from './addresses.ts';
import { makeCleanStored } from './clean/clean.ts';
import { kindOf } from './content/content.ts';
import type { MediaDeps } from './deps.ts';
import { makeFetchFile } from './fetching.ts';
import { makeFitted } from './fitted.ts';
import { itemOf } from './item.ts';
import { makeLinks } from './links.ts';
import { makeSource } from './outgoing.ts';
import { makePut } from './put.ts';
import { makeSpool } from './spool.ts';
import type { StoredFile } from './storage/files.ts';
import { makeDownloads } from './downloads.ts';
import { makeStoredItems } from './stored-items.ts';
import { makeUploadAt } from './upload-address.ts';
import { makeUploads } from './uploads.ts';

export type { Download } from './downloads.ts';

export type Media = ReturnType<typeof makeUploads> &
  ReturnType<typeof makeUploadAt> &
  ReturnType<typeof makePut> &
  ReturnType<typeof makeStoredItems> &
  ReturnType<typeof makeDownloads> &
  MediaSource &
  Readonly<{
    fetchFile: FetchFile;
    openPublished: OpenPublished;
    /** A URL at which anyone can read an item's content without a token, for an hour. */
    publicUrl(item: Readonly<{ id: string; filename: string }>): string;
  }>;

type MediaModuleDeps = Pick<
  MediaDeps,
  'store' | 'lists' | 'files' | 'clock' | 'newId' | 'outbound' | 'workshop' | 'rootUrl' | 'bases'
> &
  Readonly<{
    sealer: Sealer;
    log: Pick<Log, 'warn'>;
    /** Where files are stored until they are sent. */
    spoolDir: string;
    maxBytes?: number;
    keepMetadata?: boolean;
  }>;

function makePublicUrls(addresses: Addresses, { clock, rootUrl }: Pick<MediaDeps, 'clock' | 'rootUrl'>) {
  const at = (token: string, filename: string) => `${rootUrl}/media/${token}/${encodeURIComponent(filename)}`;
  return {
    publicUrl({ id, filename }: Readonly<{ id: string; filename: string }>): string {
      return at(addresses.download({ id, expires_at: clock.now() + HOUR, form: 'whole' }), filename);
    },
    /** The URL stays the same for an hour, so that browsers cache the picture. */
    thumbnailUrl({ id, content_type }: Pick<MediaRow, 'id' | 'content_type'>): string | null {
      if (kindOf(content_type) !== 'image') return null;
      const expires_at = (Math.floor(clock.now() / HOUR) + 2) * HOUR;
      return at(addresses.download({ id, expires_at, form: 'thumbnail' }), 'thumbnail.webp');
    },
  };
}

/** The media module: uploads, their bytes, signed URLs, and media of posts. */
export function makeMedia({
  sealer,
  log,
  spoolDir,
  maxBytes = MEDIA_MAX_BYTES,
  keepMetadata = false,
  ...deps
}: MediaModuleDeps): Media {
  const addresses = makeAddresses(sealer);
  const { publicUrl, thumbnailUrl } = makePublicUrls(addresses, deps);
  const warn: Log['warn'] = (...line) => log.warn(...line);
  const room: MediaDeps = Object.freeze({
    ...deps,
    addresses,
    maxBytes,
    spool: makeSpool({ folder: join(spoolDir, 'media'), ...deps, maxBytes, warn }),
    cleanStored: keepMetadata ? async (kept) => kept : makeCleanStored(),
    keepMetadata,
    warn,
    present: (row: MediaRow) => itemOf(row, { url: publicUrl(row), thumbnail_url: thumbnailUrl(row) }),
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
    ...makeDownloads(room),
    ...makeSource(room, fitted),
    ...makeLinks(room, fitted),
    fit: fitted.fit,
    fetchFile: makeFetchFile(room),
    publicUrl,
  });
}
