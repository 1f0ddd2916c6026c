import type { Row, RowPatch } from '../schema/database.ts';
import type { Db } from '../store/tx.ts';

export type InboxAccountRow = Row<'inbox_accounts'>;

/** How far the inbox of an account is read; undefined before its first reading. */
export function loadInboxAccount(db: Db, accountId: string): Promise<InboxAccountRow | undefined> {
  return db.selectFrom('inbox_accounts').selectAll().where('account_id', '=', accountId).executeTakeFirst();
}

/** What the inbox needs to know of the account it is of. */
type Owner = Readonly<{ id: string; workspace_id: string; connected_at: number }>;

/** As it is when the account has just been connected. */
const fresh = ({ id, workspace_id, connected_at }: Owner) =>
  ({
    account_id: id,
    workspace_id,
    begun_at: connected_at,
    sync_state: 'idle',
    last_synced_at: null,
    sync_started_at: 0,
    history_cursor: null,
    history_done: 0,
    poll_cursor: null,
  }) as const;

/** Writes how far the inbox of an account is read; for holders of the account, as it must not go meanwhile. */
export async function patchInboxAccount(
  db: Db,
  account: Owner,
  patch: Omit<RowPatch<'inbox_accounts'>, 'account_id' | 'workspace_id' | 'begun_at'>,
): Promise<void> {
  await db
    .insertInto('inbox_accounts')
    .values({ ...fresh(account), ...patch })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(patch))
    .execute();
}

/** Makes the row of an account that has none yet; for holders of the account. */
export async function ensureInboxAccount(db: Db, account: Owner): Promise<void> {
  await db
    .insertInto('inbox_accounts')
    .values(fresh(account))
    .onConflict((conflict) => conflict.column('account_id').doNothing())
    .execute();
}

/** Takes the turn to sync the posts of an account; false when the last one that did not fail began after `since`. */
export async function beginSync(db: Db, accountId: string, now: number, since: number): Promise<boolean> {
  const result = await db
    .updateTable('inbox_accounts')
    .set({ sync_started_at: now })
    .where('account_id', '=', accountId)
    .where('sync_started_at', '<=', since)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Gives the turn back that a sync took which failed. */
export async function failSync(db: Db, accountId: string, startedAt: number): Promise<void> {
  await db
    .updateTable('inbox_accounts')
    .set({ sync_started_at: 0 })
    .where('account_id', '=', accountId)
    .where('sync_started_at', '=', startedAt)
    .execute();
}
