import type { Readable } from 'node:stream';
import { loadMedia } from '#db/posts/media.ts';
import { isLivingTarget } from '#db/posts/targets.ts';
import { fail } from '#kernel/errors.ts';
import { withoutCameraData } from './clean/clean.ts';
import { inspect, kindOf } from './content/content.ts';
import type { MediaDeps } from './deps.ts';
import { noSuchMedia } from './item.ts';
import { cleanName } from './names.ts';
import { makeThumbnails } from './pictures/thumbnails.ts';
import type { Kept } from './storage/files.ts';

/** The content of a download URL, and how a browser may display it. */
export type Download = Readonly<{
  filename: string;
  content_type: string;
  size_bytes: number;
  sha256: string | undefined;
  /** Displayed in the browser, like pictures and videos, instead of being saved. */
  inline: boolean;
  /** Streams a range that includes both ends. */
  stream(from: number, to: number): Readable;
}>;

function asThumbnail({ size, stream }: Kept): Download {
  const content_type = 'image/webp';
  return { filename: 'thumbnail.webp', content_type, size_bytes: size, sha256: undefined, inline: true, stream };
}

const isVisual = (type: string) => ['image', 'video'].includes(kindOf(type));

/** Reads the files that signed download URLs name. */
export function makeDownloads(deps: MediaDeps) {
  const { store, files, clock, addresses, spool, cleanStored, keepMetadata } = deps;
  const thumbnails = makeThumbnails(deps);

  /** A file that was fetched for a target, available until the target is completed. */
  async function readFetched(name: string): Promise<Download> {
    const isWanted = await isLivingTarget(store.db, spool.ownerOf(name));
    const kept = (isWanted ? await spool.find(name) : undefined) ?? noSuchMedia(name);
    const seen = await inspect(kept);
    if ('refused' in seen) noSuchMedia(name);
    const { content_type } = seen.fields;
    const cleaned = keepMetadata ? kept : await withoutCameraData(kept, content_type);
    return {
      filename: cleanName(undefined, content_type),
      content_type,
      size_bytes: cleaned.size,
      sha256: undefined,
      inline: isVisual(content_type),
      stream: cleaned.stream,
    };
  }

  return {
    /** Returns the content of a download URL; `width` is that of a thumbnail. */
    async read(token: string, width?: number): Promise<Download> {
      const grant = addresses.openDownload(token);
      if (!grant || grant.expires_at <= clock.now()) {
        fail('auth.invalid_secret', {
          message: 'This media address has expired or is not from this server.',
          next: 'Get a new one from list_media.',
        });
      }
      const { id, form } = grant;
      if (id.includes('/')) return readFetched(id);
      const row = await loadMedia(store.db, id);
      if (form === 'thumbnail' && row?.status === 'ready') return asThumbnail(await thumbnails.of(row, width));
      const kept = row?.status === 'ready' ? await files.find(row) : undefined;
      if (!row || !kept) noSuchMedia(id);
      const read = form === 'cleaned' ? await cleanStored(kept, row) : kept;
      return {
        filename: row.filename,
        content_type: row.content_type,
        size_bytes: read.size,
        sha256: read === kept ? (row.sha256 ?? undefined) : undefined,
        inline: isVisual(row.content_type),
        stream: read.stream,
      };
    },
  };
}
