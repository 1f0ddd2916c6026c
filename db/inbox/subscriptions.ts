import { upsertOnce } from '../store/dialect.ts';
import type { NewRow, Row, RowPatch } from '../schema/database.ts';
import type { Db } from '../store/tx.ts';

export type SubscriptionRow = Row<'subscriptions'>;

export function loadSubscription(db: Db, accountId: string): Promise<SubscriptionRow | undefined> {
  return db.selectFrom('subscriptions').selectAll().where('account_id', '=', accountId).executeTakeFirst();
}

/** The subscription an address belongs to, with where its account is and the app it was connected with. */
export function findSubscription(db: Db, path: string) {
  return db
    .selectFrom('subscriptions')
    .innerJoin('accounts', 'accounts.id', 'subscriptions.account_id')
    .selectAll('subscriptions')
    .select(['accounts.platform', 'accounts.network', 'accounts.app_id'])
    .where('subscriptions.path', '=', path)
    .executeTakeFirst();
}

/** A subscription whose account is gone, by its address: the platform may still ask whether it is to end. */
export function findEndedSubscription(db: Db, path: string, now: number): Promise<SubscriptionRow | undefined> {
  return db
    .selectFrom('subscriptions')
    .selectAll()
    .where('path', '=', path)
    .where('state', '=', 'ended')
    .where('until', '>', now)
    .executeTakeFirst();
}

/** Stores a subscription once; one that is known stays. */
export async function insertSubscription(db: Db, row: NewRow<'subscriptions'>): Promise<void> {
  await upsertOnce(db.insertInto('subscriptions').values(row), ['account_id']).execute();
}

/** Changes a subscription; false when it is gone or ended. */
export async function patchSubscription(db: Db, accountId: string, patch: RowPatch<'subscriptions'>): Promise<boolean> {
  const result = await db
    .updateTable('subscriptions')
    .set(patch)
    .where('account_id', '=', accountId)
    .where('state', '!=', 'ended')
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Removes a subscription and returns what it was. */
export function takeSubscription(db: Db, accountId: string): Promise<SubscriptionRow | undefined> {
  return db.deleteFrom('subscriptions').where('account_id', '=', accountId).returningAll().executeTakeFirst();
}

/** Ends a subscription, which answers for its address until then, and returns it. */
export function endSubscription(db: Db, accountId: string, until: number): Promise<SubscriptionRow | undefined> {
  return db
    .updateTable('subscriptions')
    .set({ state: 'ended', until, secret: null })
    .where('account_id', '=', accountId)
    .where('state', '!=', 'ended')
    .returningAll()
    .executeTakeFirst();
}

/** Removes subscriptions whose account went without anybody ending them, or whose end is long enough ago; returns how many. */
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
