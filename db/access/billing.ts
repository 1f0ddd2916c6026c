import type { Network, NewRow, Row, RowPatch } from '../schema/database.ts';
import type { Db } from '../store/tx.ts';

export type BillingRow = Row<'billing'>;
export type CheckoutRow = Row<'checkouts'>;

export function findBilling(db: Db, workspaceId: string): Promise<BillingRow | undefined> {
  return db.selectFrom('billing').selectAll().where('workspace_id', '=', workspaceId).executeTakeFirst();
}

export function findBillingOf(db: Db, customerId: string): Promise<BillingRow | undefined> {
  return db.selectFrom('billing').selectAll().where('customer_id', '=', customerId).executeTakeFirst();
}

export async function insertBilling(db: Db, row: NewRow<'billing'>): Promise<void> {
  await db
    .insertInto('billing')
    .values(row)
    .onConflict((conflict) => conflict.column('workspace_id').doNothing())
    .execute();
}

/** Changes a workspace's billing row; false if it has changed since it was read. */
export async function patchBilling(
  db: Db,
  { workspace_id, version }: Pick<BillingRow, 'workspace_id' | 'version'>,
  patch: RowPatch<'billing'>,
): Promise<boolean> {
  const result = await db
    .updateTable('billing')
    .set({ ...patch, version: version + 1 })
    .where('workspace_id', '=', workspace_id)
    .where('version', '=', version)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function deleteBilling(db: Db, workspaceId: string): Promise<void> {
  await db.deleteFrom('billing').where('workspace_id', '=', workspaceId).execute();
}

/** Workspaces whose paid period has ended and whose subscription has not been read since. */
export async function overdueBilling(
  db: Db,
  network: Network,
  { endedBy, readBy }: Readonly<{ endedBy: number; readBy: number }>,
  limit: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('billing')
    .select('workspace_id')
    .where('network', '=', network)
    .where('cycle_end', '<=', endedBy)
    .where('read_at', '<=', readBy)
    .orderBy('cycle_end')
    .limit(limit)
    .execute();
  return rows.map(({ workspace_id }) => workspace_id);
}

/** Adds a checkout page; false if the workspace already has an open one. */
export async function insertCheckout(db: Db, row: NewRow<'checkouts'>): Promise<boolean> {
  const made = await db
    .insertInto('checkouts')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return made !== undefined;
}

export function listCheckouts(db: Db, workspaceId: string, state: CheckoutRow['state']): Promise<CheckoutRow[]> {
  return db
    .selectFrom('checkouts')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('state', '=', state)
    .orderBy('created_at')
    .execute();
}

export function loadCheckout(db: Db, workspaceId: string, id: string): Promise<CheckoutRow | undefined> {
  return db
    .selectFrom('checkouts')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Finds a page by the provider's id, which cannot be guessed. */
export function findCheckout(db: Db, sessionId: string): Promise<CheckoutRow | undefined> {
  return db.selectFrom('checkouts').selectAll().where('session_id', '=', sessionId).executeTakeFirst();
}

export async function patchCheckout(
  db: Db,
  { id, state }: Pick<CheckoutRow, 'id' | 'state'>,
  patch: RowPatch<'checkouts'>,
): Promise<boolean> {
  const result = await db
    .updateTable('checkouts')
    .set(patch)
    .where('id', '=', id)
    .where('state', '=', state)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Deletes pages of a workspace that ended long ago. */
export async function forgetCheckouts(db: Db, workspaceId: string, before: number): Promise<void> {
  await db
    .deleteFrom('checkouts')
    .where('workspace_id', '=', workspaceId)
    .where('created_at', '<', before)
    .where('state', 'in', ['complete', 'expired'])
    .execute();
}
