import { handleOf } from '#kernel/text/handle.ts';
import { flagAccount, flagAccounts, type AccountRow } from '#db/access/accounts.ts';
import type { Tx } from '#db/store/tx.ts';
import { accountData, accountEvent } from '#call/accounts.ts';
import { isoTime } from '#kernel/clock.ts';

type Reason = 'access_revoked' | 'all_pages_removed';

export async function disconnect(tx: Tx, account: AccountRow, reason: Reason, why: string, now: number): Promise<void> {
  if (!(await flagAccount(tx.db, account, why, now))) return;
  tx.meter.count('disconnections', [account.platform]);
  await tx.emit(disconnectedEvent(account, reason, why, now));
}

/** Marks active accounts as reconnect_required after their access was revoked. */
export async function disconnectAll(tx: Tx, ids: readonly string[], why: string, now: number): Promise<void> {
  for (const account of await flagAccounts(tx.db, ids, why, now)) {
    tx.meter.count('disconnections', [account.platform]);
    await tx.emit(disconnectedEvent(account, 'access_revoked', why, now));
  }
}

function disconnectedEvent(account: AccountRow, reason: Reason, why: string, now: number) {
  return accountEvent(account, 'account.disconnected', {
    data: accountData(account, {
      reason,
      reconnect_required: true,
      reconnect_reason: why,
      disconnected_at: isoTime(now),
    }),
    resourceId: account.id,
    summary: `${account.platform} ${handleOf(account.username)} must be connected again`,
    failed: true,
  });
}
