import {
  countReadyMedia,
  deleteMedia,
  deleteStalePending,
  findPostUsing,
  giveStorage,
  holdMedia,
  knownMedia,
  listReadyMedia,
  readStorage,
} from '#db/posts/media.ts';
import { openTargets } from '#db/posts/targets.ts';
import type { Authority } from '#kernel/authority.ts';
import { DAY, HOUR } from '#kernel/clock.ts';
import { fail } from '#kernel/errors.ts';
import { byCreation, type PageQuery } from '#kernel/pagination.ts';
import type { MediaDeps } from './deps.ts';
import { noSuchMedia, storageLimit, type MediaItem } from './item.ts';
import type { StoredFile } from './storage/files.ts';

export type Storage = Readonly<{ used_bytes: number; limit_bytes: number; count: number }>;

const PENDING_MS = DAY;
/** Longer than any call whose files are fetched for it alone. */
const CALL_MS = HOUR;
const BATCH = 500;

export function makeStoredItems(deps: MediaDeps) {
  const { store, files, clock, spool, present, forget } = deps;

  return {
    /** Lists ready items, or those of some ids, newest first, with the total of all ready items. */
    list: (authority: Authority, query: PageQuery, ids?: readonly string[]) =>
      deps.lists.page(query, {
        name: 'media',
        given: { ids },
        read: (given, span) => listReadyMedia(store.db, authority, given.ids, span),
        position: byCreation,
        show: (rows): MediaItem[] => rows.map(present),
        extra: async () => ({ count: await countReadyMedia(store.db, authority) }),
      }),

    /** Used and allowed storage, without pending uploads. */
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

    /** Removes fetched files that a crash left; runs at every start. */
    sweepSpool: () => spool.sweep(clock.now() - CALL_MS, (targets) => openTargets(store.db, targets)),

    /** Removes uploads that are unfinished after a day, and bytes without an item; runs every hour. */
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
