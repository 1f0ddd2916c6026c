import type { AccountRow } from '../access/accounts.ts';
import type { Row, RowPatch } from '../schema/database.ts';
import { firstOf, statement, writing } from '../store/statement.ts';
import type { Db } from '../store/tx.ts';

export type InboxAccountRow = Row<'inbox_accounts'>;

/** Undefined before the inbox is first read. */
export async function loadInboxAccount(db: Db, accountId: string): Promise<InboxAccountRow | undefined> {
  return firstOf(await byId(db, { accountId }));
}

const byId = statement((db, slot: Readonly<{ accountId: string }>) =>
  db.selectFrom('inbox_accounts').selectAll().where('account_id', '=', slot.accountId),
);

export type PolledAccount = AccountRow & Pick<InboxAccountRow, 'poll_cursor'>;

/** An account with the cursor of its last poll; the cursor is null before the first one. */
export async function loadPolledAccount(db: Db, accountId: string): Promise<PolledAccount | undefined> {
  return firstOf(await polled(db, { accountId }));
}

const polled = statement((db, slot: Readonly<{ accountId: string }>) =>
  db
    .selectFrom('accounts')
    .leftJoin('inbox_accounts', 'inbox_accounts.account_id', 'accounts.id')
    .selectAll('accounts')
    .select('inbox_accounts.poll_cursor')
    .where('accounts.id', '=', slot.accountId),
);

/** Stores that an account was polled and nothing had changed. */
export async function touchInboxAccount(db: Db, accountId: string, now: number): Promise<void> {
  await touching(db, { accountId, now });
}

const touching = statement((db, slot: Readonly<{ accountId: string; now: number }>) =>
  db
    .updateTable('inbox_accounts')
    .set({ sync_state: 'idle', last_synced_at: slot.now })
    .where('account_id', '=', slot.accountId),
);

type Owner = Readonly<{ id: string; workspace_id: string; connected_at: number }>;

/** The row of an account that has just been connected. */
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

/** Call it while the account is locked, so that the account is not deleted in the meantime. */
export async function patchInboxAccount(db: Db, account: Owner, patch: InboxPatch): Promise<void> {
  const { id, workspace_id, connected_at } = account;
  await patching(db, patch, { id, workspace_id, connected_at });
}

type InboxPatch = Omit<RowPatch<'inbox_accounts'>, 'account_id' | 'workspace_id' | 'begun_at'>;

const patching = writing((db, patch: InboxPatch, owner: Owner) =>
  db
    .insertInto('inbox_accounts')
    .values({ ...fresh(owner), ...patch })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(patch)),
);

/** Adds the row unless it exists. Call it while the account is locked. */
export async function ensureInboxAccount(db: Db, account: Owner): Promise<void> {
  await db
    .insertInto('inbox_accounts')
    .values(fresh(account))
    .onConflict((conflict) => conflict.column('account_id').doNothing())
    .execute();
}

/** Starts a sync; false if another one that did not fail has started after `since`. */
export async function beginSync(db: Db, accountId: string, now: number, since: number): Promise<boolean> {
  const result = await db
    .updateTable('inbox_accounts')
    .set({ sync_started_at: now })
    .where('account_id', '=', accountId)
    .where('sync_started_at', '<=', since)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function failSync(db: Db, accountId: string, startedAt: number): Promise<void> {
  await db
    .updateTable('inbox_accounts')
    .set({ sync_started_at: 0 })
    .where('account_id', '=', accountId)
    .where('sync_started_at', '=', startedAt)
    .execute();
}
