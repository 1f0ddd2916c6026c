import { upsertOnce } from '../store/dialect.ts';
import type { NewRow, Row, RowPatch } from '../schema/database.ts';
import type { Db } from '../store/tx.ts';

export type SubscriptionRow = Row<'subscriptions'>;

export function loadSubscription(db: Db, accountId: string): Promise<SubscriptionRow | undefined> {
  return db.selectFrom('subscriptions').selectAll().where('account_id', '=', accountId).executeTakeFirst();
}

/** The subscription of an address, with the network and app of its account. */
export function findSubscription(db: Db, path: string) {
  return db
    .selectFrom('subscriptions')
    .innerJoin('accounts', 'accounts.id', 'subscriptions.account_id')
    .selectAll('subscriptions')
    .select(['accounts.platform', 'accounts.network', 'accounts.app_id'])
    .where('subscriptions.path', '=', path)
    .executeTakeFirst();
}

/** The subscription of a deleted account. The platform may still want to verify that it ends. */
export function findEndedSubscription(db: Db, path: string, now: number): Promise<SubscriptionRow | undefined> {
  return db
    .selectFrom('subscriptions')
    .selectAll()
    .where('path', '=', path)
    .where('state', '=', 'ended')
    .where('until', '>', now)
    .executeTakeFirst();
}

export async function insertSubscription(db: Db, row: NewRow<'subscriptions'>): Promise<void> {
  await upsertOnce(db.insertInto('subscriptions').values(row), ['account_id']).execute();
}

/** False if the subscription was deleted or has ended. */
export async function patchSubscription(db: Db, accountId: string, patch: RowPatch<'subscriptions'>): Promise<boolean> {
  const result = await db
    .updateTable('subscriptions')
    .set(patch)
    .where('account_id', '=', accountId)
    .where('state', '!=', 'ended')
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export function takeSubscription(db: Db, accountId: string): Promise<SubscriptionRow | undefined> {
  return db.deleteFrom('subscriptions').where('account_id', '=', accountId).returningAll().executeTakeFirst();
}

/** Ends a subscription and returns it. Its address still responds until `until`. */
export function endSubscription(db: Db, accountId: string, until: number): Promise<SubscriptionRow | undefined> {
  return db
    .updateTable('subscriptions')
    .set({ state: 'ended', until, secret: null })
    .where('account_id', '=', accountId)
    .where('state', '!=', 'ended')
    .returningAll()
    .executeTakeFirst();
}

/** Deletes subscriptions of deleted accounts, but an ended one only after its `until`; returns how many. */
export async function sweepSubscriptions(db: Db, now: number, limit: number): Promise<number> {
  const result = await db
    .deleteFrom('subscriptions')
    .where('account_id', 'in', (eb) =>
      eb
        .selectFrom('subscriptions')
        .leftJoin('accounts', 'accounts.id', 'subscriptions.account_id')
        .select('subscriptions.account_id')
        .where('accounts.id', 'is', null)
        .where(({ eb, or }) => or([eb('subscriptions.state', '!=', 'ended'), eb('subscriptions.until', '<=', now)]))
        .limit(limit),
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
