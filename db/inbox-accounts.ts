import type { Row, RowPatch } from './schema.ts';
import type { Db } from './tx.ts';

export type InboxAccountRow = Row<'inbox_accounts'>;

/** How far the inbox of an account is read; undefined before its first reading. */
export function loadInboxAccount(db: Db, accountId: string): Promise<InboxAccountRow | undefined> {
  return db.selectFrom('inbox_accounts').selectAll().where('account_id', '=', accountId).executeTakeFirst();
}

const UNREAD = Object.freeze({
  sync_state: 'idle',
  last_synced_at: null,
  sync_started_at: 0,
  history_cursor: null,
  history_done: 0,
  poll_cursor: null,
} as const);

/** Writes how far the inbox of an account is read; for holders of the account, as it must not go meanwhile. */
export async function patchInboxAccount(
  db: Db,
  account: Readonly<{ id: string; workspace_id: string }>,
  patch: Omit<RowPatch<'inbox_accounts'>, 'account_id' | 'workspace_id'>,
): Promise<void> {
  await db
    .insertInto('inbox_accounts')
    .values({
      account_id: account.id,
      workspace_id: account.workspace_id,
      ...UNREAD,
      ...patch,
    })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(patch))
    .execute();
}

/** Makes the row of an account that has none yet; for holders of the account. */
export async function ensureInboxAccount(
  db: Db,
  account: Readonly<{ id: string; workspace_id: string }>,
): Promise<void> {
  await db
    .insertInto('inbox_accounts')
    .values({ account_id: account.id, workspace_id: account.workspace_id, ...UNREAD })
    .onConflict((conflict) => conflict.column('account_id').doNothing())
    .execute();
}

/** Takes the turn to sync an account; false when the last one that did not fail began after `since`. */
export async function beginSync(db: Db, accountId: string, now: number, since: number): Promise<boolean> {
  const result = await db
    .updateTable('inbox_accounts')
    .set({ sync_started_at: now, sync_state: 'syncing' })
    .where('account_id', '=', accountId)
    .where('sync_started_at', '<=', since)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Gives the turn back that a sync took which failed. */
export async function failSync(db: Db, accountId: string, startedAt: number): Promise<void> {
  await db
    .updateTable('inbox_accounts')
    .set({ sync_started_at: 0, sync_state: 'failed' })
    .where('account_id', '=', accountId)
    .where('sync_started_at', '=', startedAt)
    .execute();
}
