import type { Readable } from 'node:stream';
import {
  countReadyMedia,
  deleteMedia,
  deleteStalePending,
  findPostUsing,
  giveStorage,
  holdMedia,
  knownMedia,
  listReadyMedia,
  loadMedia,
  readStorage,
} from '#db/posts/media.ts';
import { isLivingTarget, openTargets } from '#db/posts/targets.ts';
import type { Authority } from '#kernel/authority.ts';
import { fail } from '#kernel/errors.ts';
import { byCreation, type PageQuery } from '#kernel/pagination.ts';
import { withoutCameraData } from './clean/clean.ts';
import { inspect, kindOf } from './content/content.ts';
import type { MediaDeps } from './deps.ts';
import { noSuchMedia, storageLimit, type MediaItem } from './item.ts';
import { cleanName } from './names.ts';
import type { StoredFile } from './storage/files.ts';

export type Storage = Readonly<{ used_bytes: number; limit_bytes: number; count: number }>;

/** The bytes of a download URL, and how a browser may show them. */
export type Download = Readonly<{
  filename: string;
  content_type: string;
  size_bytes: number;
  sha256: string | undefined;
  /** Shown in place, as pictures and videos, or saved. */
  inline: boolean;
  /** Streams an inclusive range. */
  stream(from: number, to: number): Readable;
}>;

const isVisual = (type: string) => ['image', 'video'].includes(kindOf(type));

const PENDING_MS = 24 * 3_600_000;
/** Longer than any call that fetches files for itself. */
const CALL_MS = 3_600_000;
const BATCH = 500;

export function makeStoredItems(deps: MediaDeps) {
  const { store, files, clock, addresses, spool, present, forget, cleanStored, keepMetadata } = deps;

  /** A file fetched for a target, until that is completed. */
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
    /** Ready items, newest first, and their total. */
    list: (authority: Authority, query: PageQuery) =>
      deps.lists.page(query, {
        name: 'media',
        given: {},
        read: (_, span) => listReadyMedia(store.db, authority, span),
        position: byCreation,
        show: (rows): MediaItem[] => rows.map(present),
        extra: async () => ({ count: await countReadyMedia(store.db, authority) }),
      }),

    /** Used and allowed storage; pending uploads do not count. */
    async storage(authority: Authority): Promise<Storage> {
      const [storage, count] = await Promise.all([
        readStorage(store.db, authority.workspace),
        countReadyMedia(store.db, authority),
      ]);
      return { used_bytes: storage!.storage_bytes, limit_bytes: storageLimit(storage!.plan), count };
    },

    /** Removes an item that no post uses, and frees its storage. */
    async remove(authority: Authority, id: string): Promise<void> {
      const removed = await store.write(async ({ db, dialect }) => {
        const row = (await holdMedia(db, dialect, authority, id)) ?? noSuchMedia(id);
        const post_id = await findPostUsing(db, id);
        if (post_id !== undefined) fail('media.in_use', { meta: { id, post_id } });
        await deleteMedia(db, id);
        const bytes = row.status === 'ready' ? row.size_bytes : 0;
        await giveStorage(db, authority.workspace, { bytes, held: row.held_bytes });
        return row;
      });
      await forget(removed);
    },

    async read(token: string): Promise<Download> {
      const grant = addresses.openDownload(token);
      if (!grant || grant.expires_at <= clock.now()) {
        fail('auth.invalid_secret', {
          message: 'This media address has expired, or was not made here.',
          next: 'Take a fresh one from list_media.',
        });
      }
      const { id, cleaned } = grant;
      if (id.includes('/')) return readFetched(id);
      const row = await loadMedia(store.db, id);
      const kept = row?.status === 'ready' ? await files.find(row) : undefined;
      if (!row || !kept) noSuchMedia(id);
      const read = cleaned ? await cleanStored(kept, row) : kept;
      return {
        filename: row.filename,
        content_type: row.content_type,
        size_bytes: read.size,
        sha256: read === kept ? (row.sha256 ?? undefined) : undefined,
        inline: isVisual(row.content_type),
        stream: read.stream,
      };
    },

    /** Removes fetched files that a crash left behind; runs at every start. */
    sweepSpool: () => spool.sweep(clock.now() - CALL_MS, (targets) => openTargets(store.db, targets)),

    /** Removes uploads unfinished after a day, and orphaned bytes; runs every hour. */
    async sweep(): Promise<Readonly<{ pending: number; orphans: number }>> {
      const before = clock.now() - PENDING_MS;
      let pending = 0;
      let stale: readonly StoredFile[];
      do {
        stale = await store.write(({ db }) => deleteStalePending(db, before, BATCH));
        for (const file of stale) await files.remove(file);
        pending += stale.length;
      } while (stale.length === BATCH);
      const orphans = await files.sweep(before, (ids) => knownMedia(store.db, ids));
      return { pending, orphans };
    },
  };
}
