import { purgeInbox } from '../../../db/inbox-purge.ts';
import type { Store } from '../../../db/store.ts';

/** How many rows one step takes away. */
const STEP = 500;

/** Takes away what a removed account left in the inbox, step by step: the job `purge_account`. */
export async function purgeAccount(store: Store, accountId: string): Promise<void> {
  while ((await store.write((tx) => purgeInbox(tx.db, accountId, STEP))) > 0);
}
