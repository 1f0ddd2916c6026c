import { findBilling } from '#db/access/billing.ts';
import type { Tx } from '#db/store/tx.ts';

/** Ends the subscription of a removed workspace. */
export async function endBilling(tx: Tx, workspaceId: string, now: number): Promise<void> {
  if ((await findBilling(tx.db, workspaceId)) === undefined) return;
  await tx.enqueue({ kind: 'sync_billing', key: workspaceId, runAt: now });
}
