import { findBrand } from '#db/access/brands.ts';
import { holdWorkspace } from '#db/access/users.ts';
import {
  countSavedReplies,
  deleteSavedReply,
  insertSavedReply,
  listSavedReplies,
  patchSavedReply,
  type SavedReplyRow,
} from '#db/inbox/saved-replies.ts';
import type { Store } from '#db/store/store.ts';
import type { Db, LogEntry } from '#db/store/tx.ts';
import type { Authority } from '#kernel/authority.ts';
import { isoTime, type Clock } from '#kernel/clock.ts';
import { fail, noSuch } from '#kernel/errors.ts';
import { newId } from '#kernel/ids.ts';

type RepliesDeps = Readonly<{ store: Store; clock: Clock }>;
type Written = Readonly<{ name: string; text: string; brand_id: string | null }>;

/** The most replies in a workspace; they are always listed and searched as a whole. */
const MOST = 500;

function presentReply({ id, name, text, brand_id, created_at, updated_at }: SavedReplyRow) {
  return { id, name, text, brand_id, created_at: isoTime(created_at), updated_at: isoTime(updated_at) };
}

function entryOf({ workspace_id, id, name }: SavedReplyRow, done: 'created' | 'changed' | 'deleted'): LogEntry {
  return {
    workspaceId: workspace_id,
    category: 'api',
    action: `saved_reply_${done}`,
    status: 'success',
    resourceId: id,
    summary: `Saved reply "${name}" ${done}`,
  };
}

async function refuseUnknown(db: Db, authority: Authority, brandId: string | null | undefined): Promise<void> {
  if (typeof brandId !== 'string' || (await findBrand(db, authority, brandId))) return;
  noSuch('brand', brandId);
}

/** Saved replies: texts that people use often, for one brand or for all. */
export function makeReplies({ store, clock }: RepliesDeps) {
  return Object.freeze({
    list: async (authority: Authority, brandId: string | undefined) =>
      (await listSavedReplies(store.db, authority, brandId)).map(presentReply),

    async create(authority: Authority, written: Written) {
      const now = clock.now();
      const row = {
        id: newId('srp', now),
        workspace_id: authority.workspace,
        ...written,
        created_at: now,
        updated_at: now,
      };
      return store.write(async (tx) => {
        // Locks the workspace, so that concurrent requests cannot exceed the limit.
        await holdWorkspace(tx.db, tx.dialect, authority.workspace);
        await refuseUnknown(tx.db, authority, row.brand_id);
        if ((await countSavedReplies(tx.db, authority)) >= MOST) {
          fail('resource.conflict', {
            message: `There are already ${MOST} saved replies, which is the limit.`,
            next: 'Delete one that nobody uses.',
            meta: { max: MOST },
          });
        }
        await insertSavedReply(tx.db, row);
        await tx.log(entryOf(row, 'created'));
        const made = presentReply(row);
        await tx.key?.record(made);
        return made;
      });
    },

    async change(authority: Authority, id: string, change: Partial<Written>) {
      return store.write(async (tx) => {
        await refuseUnknown(tx.db, authority, change.brand_id);
        const patch = { ...change, updated_at: clock.now() };
        const row = (await patchSavedReply(tx.db, authority, id, patch)) ?? noSuch('saved_reply', id);
        await tx.log(entryOf(row, 'changed'));
        return presentReply(row);
      });
    },

    async remove(authority: Authority, id: string) {
      await store.write(async (tx) => {
        const row = (await deleteSavedReply(tx.db, authority, id)) ?? noSuch('saved_reply', id);
        await tx.log(entryOf(row, 'deleted'));
      });
      return { success: true, ok: true, id };
    },
  });
}

export type Replies = ReturnType<typeof makeReplies>;
