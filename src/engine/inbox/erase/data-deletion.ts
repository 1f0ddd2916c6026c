import { deleteAccount, holdAccount, type AccountRow } from '#db/access/accounts.ts';
import { holdPush, loadPush, noteErased, type PushRow } from '#db/inbox/pushes.ts';
import type { Erased } from '#db/schema/database.ts';
import type { Store } from '#db/store/store.ts';
import { accountData, accountEvent } from '#call/accounts.ts';
import { isoTime, type Clock } from '#kernel/clock.ts';
import { eraseAccount, purgeAccount } from './purge.ts';

type DataDeletionDeps = Readonly<{ store: Store; clock: Clock }>;

/** Handles data-deletion requests; each stays stored until all data of its accounts is gone. */
export function makeDataDeletion({ store, clock }: DataDeletionDeps) {
  return Object.freeze({
    /** Marks a webhook as a data-deletion request, which is retried until it succeeds. */
    async promise({ id, erases }: PushRow): Promise<void> {
      if (erases === null) await store.write((tx) => noteErased(tx.db, id, []));
    },

    /** Removes an account and records, in the same transaction, that its data is still to be erased. */
    async remove({ id }: AccountRow, push: PushRow): Promise<void> {
      await store.write(async (tx) => {
        const account = await holdAccount(tx.db, tx.dialect, id);
        // An account that was connected again after the request is kept.
        if (!account || account.connected_at > push.received_at) return;
        await deleteAccount(tx.db, id);
        const reported = await tx.emit(deletedEvent(account, clock.now()));
        const left = erasedBy((await holdPush(tx.db, tx.dialect, push.id)) ?? push);
        const all = [...left, { id, workspace_id: account.workspace_id, told: reported }];
        await noteErased(tx.db, push.id, all);
      });
    },

    /** Erases the remaining data of all accounts that this webhook removed, in this or an earlier attempt. */
    async finish(pushId: string): Promise<void> {
      const push = await loadPush(store.db, pushId);
      for (const account of push ? erasedBy(push) : []) {
        await purgeAccount(store, account.id);
        await eraseAccount(store, account);
      }
    },
  });
}

const erasedBy = ({ erases }: PushRow): readonly Erased[] => erases ?? [];

/** The removal event. It contains no personal data, because events are kept. */
function deletedEvent(account: AccountRow, now: number) {
  return accountEvent(account, 'account.disconnected', {
    data: accountData(account, {
      reason: 'data_deletion',
      reconnect_required: false,
      reconnect_reason: null,
      disconnected_at: isoTime(now),
    }),
    resourceId: account.id,
    summary: `${account.platform} account removed: its owner asked to delete their data`,
    failed: true,
  });
}
