import { eraseExports } from '#db/exports/exports.ts';
import type { Erased } from '#db/schema/database.ts';
import { eraseTraces, purgeInbox } from '#db/inbox/purge.ts';
import type { Store } from '#db/store/store.ts';
import type { Position } from '#kernel/pagination.ts';

const STEP = 500;

/** The job `purge_account`: deletes the inbox of a removed account in small steps. */
export async function purgeAccount(store: Store, accountId: string): Promise<void> {
  while ((await store.write((tx) => purgeInbox(tx.db, accountId, STEP))) > 0);
}

/** Erases a removed account's data from events, activity log and exports, in small steps. */
export async function eraseAccount(store: Store, account: Erased): Promise<void> {
  while ((await store.write((tx) => eraseExports(tx.db, account.id, STEP))) > 0);
  let from: Position | undefined;
  do {
    const start = from;
    from = await store.write((tx) => eraseTraces(tx.db, tx.dialect, account, start, STEP));
  } while (from !== undefined);
}
