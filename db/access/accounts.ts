import { sql, type ExpressionBuilder } from 'kysely';
import { noSuch } from '#kernel/errors.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import { byDialect, hold, includes, rowsOf, statusIs, type Dialect } from '../store/dialect.ts';
import { firstOf, statement } from '../store/statement.ts';
import type { Db, Queryable } from '../store/tx.ts';
import type { Authority } from '#kernel/authority.ts';
import type { Database, Network, NewRow, Row, RowPatch } from '../schema/database.ts';

export type AccountRow = Row<'accounts'>;

function visible(db: Db, authority: Authority) {
  const query = db.selectFrom('accounts').where('workspace_id', '=', authority.workspace);
  return authority.brands ? query.where('brand_id', 'in', authority.brands) : query;
}

export function listAccounts(
  db: Db,
  authority: Authority,
  filter: Readonly<{
    accountId?: string | undefined;
    brandId?: string | undefined;
    platform?: PlatformSlug | undefined;
  }>,
): Promise<AccountRow[]> {
  let query = visible(db, authority).selectAll();
  if (filter.accountId !== undefined) query = query.where('id', '=', filter.accountId);
  if (filter.brandId !== undefined) query = query.where('brand_id', '=', filter.brandId);
  if (filter.platform !== undefined) query = query.where('platform', '=', filter.platform);
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').execute();
}

export type NamedAccount = Pick<AccountRow, 'id' | 'platform' | 'kind' | 'username' | 'status'>;

/** The names of visible accounts on some platforms, oldest first. */
export async function usernamesOf(
  db: Db,
  authority: Authority,
  platforms: readonly PlatformSlug[],
): Promise<readonly NamedAccount[]> {
  if (platforms.length === 0) return [];
  const accounts = visible(db, authority).select(['id', 'platform', 'kind', 'username', 'status']);
  return accounts.where('platform', 'in', platforms).orderBy('created_at').orderBy('id').execute();
}

export async function findAccount(db: Db, authority: Authority, id: string): Promise<AccountRow | undefined> {
  const { workspace, brands } = authority;
  const account = await loadAccount(db, id);
  const isVisible = account?.workspace_id === workspace && (!brands || brands.includes(account.brand_id));
  return isVisible ? account : undefined;
}

/** The visible accounts with this platform id, the most recently connected first. */
export function findByPlatformId(
  db: Db,
  authority: Authority,
  platform: PlatformSlug,
  platformUserId: string,
): Promise<AccountRow[]> {
  return visible(db, authority)
    .selectAll()
    .where('platform', '=', platform)
    .where('platform_user_id', '=', platformUserId)
    .orderBy('connected_at', 'desc')
    .execute();
}

/** Refuses an account that is missing or not visible to the caller. */
export function noAccount(id: string): never {
  noSuch('account', id);
}

export async function accountNamed(db: Db, authority: Authority, id: string): Promise<AccountRow> {
  return (await findAccount(db, authority, id)) ?? noAccount(id);
}

export async function findAccounts(db: Db, authority: Authority, ids: readonly string[]): Promise<AccountRow[]> {
  const [id] = ids;
  if (id === undefined) return [];
  if (ids.length > 1) return visible(db, authority).selectAll().where('id', 'in', ids).execute();
  const account = await findAccount(db, authority, id);
  return account ? [account] : [];
}

const byId = statement((db, slot: { id: string }) => db.selectFrom('accounts').selectAll().where('id', '=', slot.id));

/** Finds an account in any workspace. Only for the engines, which work for all of them. */
export async function loadAccount(db: Db, id: string): Promise<AccountRow | undefined> {
  return firstOf(await byId(db, { id }));
}

/** Locks the account until the transaction ends. */
export async function holdAccount(db: Db, dialect: Dialect, id: string): Promise<AccountRow | undefined> {
  return firstOf(await holding[dialect](db, { id }));
}

const holding = byDialect((dialect) =>
  statement((db, slot: { id: string }) =>
    hold(dialect, db.selectFrom('accounts').selectAll().where('id', '=', slot.id)),
  ),
);

export async function findLinked(
  db: Db,
  platform: PlatformSlug,
  network: Network,
  platformUserId: string,
): Promise<AccountRow | undefined> {
  return firstOf(await linked(db, { platform, network, platformUserId }));
}

type Linked = Readonly<{ platform: PlatformSlug; network: Network; platformUserId: string }>;

const linked = statement((db, slot: Linked) =>
  db
    .selectFrom('accounts')
    .selectAll()
    .where('platform', '=', slot.platform)
    .where('network', '=', slot.network)
    .where('platform_user_id', '=', slot.platformUserId),
);

export function accountsHaving(
  db: Db,
  platform: PlatformSlug,
  network: Network,
  { name, value }: Readonly<{ name: string; value: string }>,
): Promise<AccountRow[]> {
  const member = JSON.stringify({ [name]: value }).slice(1, -1);
  return db
    .selectFrom('accounts')
    .selectAll()
    .where('platform', '=', platform)
    .where('network', '=', network)
    .where(includes('metadata', member))
    .orderBy('id')
    .execute();
}

export function findInBrand(db: Db, brandId: string, platform: PlatformSlug): Promise<AccountRow | undefined> {
  return db
    .selectFrom('accounts')
    .selectAll()
    .where('brand_id', '=', brandId)
    .where('platform', '=', platform)
    .executeTakeFirst();
}

export async function countSandboxAccounts(db: Db): Promise<number> {
  const count = db.selectFrom('accounts').select((eb) => eb.fn.countAll<number>().as('n'));
  const { n } = await count.where('network', '=', 'sandbox').executeTakeFirstOrThrow();
  return n;
}

export async function insertAccount(db: Db, row: NewRow<'accounts'>): Promise<boolean> {
  const made = await db
    .insertInto('accounts')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return made !== undefined;
}

/** False if the account was deleted. */
export async function updateAccount(db: Db, id: string, patch: RowPatch<'accounts'>): Promise<boolean> {
  const result = await db.updateTable('accounts').set(patch).where('id', '=', id).executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Sets an active account to reconnect_required; false if it was not active or has got a newer session. */
export async function flagAccount(
  db: Db,
  refused: Readonly<{ id: string; session: string }>,
  reason: string,
  now: number,
): Promise<boolean> {
  const result = await db
    .updateTable('accounts')
    .set({ status: 'reconnect_required', reconnect_reason: reason, updated_at: now })
    .where('id', '=', refused.id)
    .where('session', '=', refused.session)
    .where('status', '=', 'active')
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** The same for several accounts. Returns those that were active. */
export function flagAccounts(db: Db, ids: readonly string[], reason: string, now: number): Promise<AccountRow[]> {
  if (ids.length === 0) return Promise.resolve([]);
  return db
    .updateTable('accounts')
    .set({ status: 'reconnect_required', reconnect_reason: reason, updated_at: now })
    .where('id', 'in', ids)
    .where('status', '=', 'active')
    .returningAll()
    .execute();
}

export async function deleteAccount(db: Db, id: string): Promise<boolean> {
  const result = await db.deleteFrom('accounts').where('id', '=', id).executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** An account whose session is refreshed, together with all others of its grant if it has one. */
export type Renewing = Pick<AccountRow, 'id' | 'grant_id' | 'network'>;

const together =
  ({ id, grant_id, network }: Renewing) =>
  ({ and, eb }: ExpressionBuilder<Pick<Database, 'accounts'>, 'accounts'>) =>
    grant_id === null ? eb('id', '=', id) : and([eb('grant_id', '=', grant_id), eb('network', '=', network)]);

/** Takes the refresh lease of an account and of all accounts of its grant; false while somebody else has it. */
export async function leaseAccount(
  { db, dialect }: Queryable,
  account: Renewing,
  token: string,
  { now, until }: Readonly<{ now: number; until: number }>,
): Promise<boolean> {
  if (account.grant_id !== null) {
    const leases = db.selectFrom('accounts').select('lease_until').where(together(account)).orderBy('id');
    const held = await hold(dialect, leases).execute();
    if (held.some(({ lease_until }) => lease_until > now)) return false;
  }
  const result = await db
    .updateTable('accounts')
    .set({ lease_token: token, lease_until: until })
    .where(together(account))
    .where('lease_until', '<=', now)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export function leasedAccounts(db: Db, account: Renewing, token: string): Promise<AccountRow[]> {
  return db.selectFrom('accounts').selectAll().where(together(account)).where('lease_token', '=', token).execute();
}

/** Stores refreshed sessions and releases the lease. Accounts that have lost the lease stay unchanged. */
export async function storeSessions(
  { db, dialect }: Queryable,
  token: string,
  sessions: readonly Readonly<{ id: string; session: string }>[],
  patch: Readonly<{ refresh_at: number; updated_at: number }>,
): Promise<readonly string[]> {
  const fresh = rowsOf(dialect, 'fresh', { id: 'text', session: 'text' }, sessions);
  const { rows } = await sql<{ id: string }>`
    update accounts set session = fresh.session, refresh_at = ${patch.refresh_at}, updated_at = ${patch.updated_at},
      lease_token = null, lease_until = 0
    from ${fresh}
    where accounts.id = fresh.id and accounts.lease_token = ${token}
    returning accounts.id`.execute(db);
  return rows.map(({ id }) => id);
}

/** Releases the lease. After a failed refresh, `again` is the time of the next try. */
export async function releaseAccount(db: Db, account: Renewing, token: string, again?: number): Promise<void> {
  await db
    .updateTable('accounts')
    .set({ lease_token: null, lease_until: 0, ...(again !== undefined && { refresh_at: again }) })
    .where(together(account))
    .where('lease_token', '=', token)
    .execute();
}

export async function hasSibling(db: Db, account: Renewing): Promise<boolean> {
  const one = db.selectFrom('accounts').select('id').where(together(account)).limit(1);
  return account.grant_id !== null && (await one.executeTakeFirst()) !== undefined;
}

export function accountsOfGrant(
  db: Db,
  { platform, network, grant_id }: Pick<AccountRow, 'platform' | 'network'> & Readonly<{ grant_id: string }>,
): Promise<AccountRow[]> {
  return db
    .selectFrom('accounts')
    .selectAll()
    .where('grant_id', '=', grant_id)
    .where('network', '=', network)
    .where('platform', '=', platform)
    .orderBy('connected_at', 'desc')
    .execute();
}

/** Active accounts whose session is due for a refresh, the most overdue first. */
export function accountsToRefresh(
  db: Db,
  now: number,
  limit: number,
): Promise<Pick<AccountRow, 'id' | 'refresh_at'>[]> {
  return db
    .selectFrom('accounts')
    .select(['id', 'refresh_at'])
    .where(statusIs('accounts', 'active'))
    .where('refresh_at', '<=', now)
    .orderBy('refresh_at')
    .limit(limit)
    .execute();
}
