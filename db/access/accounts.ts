import { sql, type ExpressionBuilder } from 'kysely';
import { fail } from '#kernel/errors.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import { hold, includes, rowsOf, statusIs, type Dialect } from '../store/dialect.ts';
import { firstOf, statement } from '../store/statement.ts';
import type { Db, Tx } from '../store/tx.ts';
import type { Authority } from '#kernel/authority.ts';
import type { Database, Network, NewRow, Row, RowPatch } from '../schema/database.ts';

export type AccountRow = Row<'accounts'>;

function visible(db: Db, authority: Authority) {
  const query = db.selectFrom('accounts').where('workspace_id', '=', authority.workspace);
  return authority.brands ? query.where('brand_id', 'in', authority.brands) : query;
}

/** The accounts the caller may see, newest first. */
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

/** The accounts of some platforms that the caller may see, by their names, the oldest first. */
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

/** The accounts the caller may see that a platform knows by this id, the one connected last first. */
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

/** Refuses an account that does not exist or that the caller may not see. */
export function noAccount(id: string): never {
  fail('account.not_found', { meta: { resource: 'account', id } });
}

/** The account the caller named, if the caller may see it. */
export async function accountNamed(db: Db, authority: Authority, id: string): Promise<AccountRow> {
  return (await findAccount(db, authority, id)) ?? noAccount(id);
}

/** The accounts among the given ids that the caller may see. */
export async function findAccounts(db: Db, authority: Authority, ids: readonly string[]): Promise<AccountRow[]> {
  const [id] = ids;
  if (id === undefined) return [];
  if (ids.length > 1) return visible(db, authority).selectAll().where('id', 'in', ids).execute();
  const account = await findAccount(db, authority, id);
  return account ? [account] : [];
}

const byId = statement((db, slot: { id: string }) => db.selectFrom('accounts').selectAll().where('id', '=', slot.id));

/** An account by its id alone: for the engines, which act for every workspace. */
export async function loadAccount(db: Db, id: string): Promise<AccountRow | undefined> {
  return firstOf(await byId(db, { id }));
}

/** An account that nobody else changes until the transaction ends. */
export function holdAccount(db: Db, dialect: Dialect, id: string): Promise<AccountRow | undefined> {
  return hold(dialect, db.selectFrom('accounts').selectAll().where('id', '=', id)).executeTakeFirst();
}

/** The account of a platform login, in whichever workspace it is. */
export function findLinked(
  db: Db,
  platform: PlatformSlug,
  network: Network,
  platformUserId: string,
): Promise<AccountRow | undefined> {
  return db
    .selectFrom('accounts')
    .selectAll()
    .where('platform', '=', platform)
    .where('network', '=', network)
    .where('platform_user_id', '=', platformUserId)
    .executeTakeFirst();
}

/** The accounts of a platform, in whichever workspace, that have a member in their metadata. */
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

/** The account a brand has of a platform. */
export function findInBrand(db: Db, brandId: string, platform: PlatformSlug): Promise<AccountRow | undefined> {
  return db
    .selectFrom('accounts')
    .selectAll()
    .where('brand_id', '=', brandId)
    .where('platform', '=', platform)
    .executeTakeFirst();
}

/** How many accounts were connected to the sandbox, in all workspaces. */
export async function countSandboxAccounts(db: Db): Promise<number> {
  const count = db.selectFrom('accounts').select((eb) => eb.fn.countAll<number>().as('n'));
  const { n } = await count.where('network', '=', 'sandbox').executeTakeFirstOrThrow();
  return n;
}

/** Adds an account; false when its login or the brand's place is taken. */
export async function insertAccount(db: Db, row: NewRow<'accounts'>): Promise<boolean> {
  const made = await db
    .insertInto('accounts')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return made !== undefined;
}

/** Changes an account; false when it is gone. */
export async function updateAccount(db: Db, id: string, patch: RowPatch<'accounts'>): Promise<boolean> {
  const result = await db.updateTable('accounts').set(patch).where('id', '=', id).executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Turns an active account to reconnect_required; false when it is not active, or has a new session by now. */
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

/** Turns those of some accounts that are active to reconnect_required, and answers them. */
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

/** Removes an account and its stored tokens. */
export async function deleteAccount(db: Db, id: string): Promise<boolean> {
  const result = await db.deleteFrom('accounts').where('id', '=', id).executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** The accounts whose sessions are renewed together: all of a grant, else an account alone. */
export type Renewing = Pick<AccountRow, 'id' | 'grant_id' | 'network'>;

const together =
  ({ id, grant_id, network }: Renewing) =>
  ({ and, eb }: ExpressionBuilder<Pick<Database, 'accounts'>, 'accounts'>) =>
    grant_id === null ? eb('id', '=', id) : and([eb('grant_id', '=', grant_id), eb('network', '=', network)]);

/** Takes the refresh lease of an account and of all others of its grant; false while another holds it. */
export async function leaseAccount(
  { db, dialect }: Pick<Tx, 'db' | 'dialect'>,
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

/** The accounts that a refresh lease holds. */
export function leasedAccounts(db: Db, account: Renewing, token: string): Promise<AccountRow[]> {
  return db.selectFrom('accounts').selectAll().where(together(account)).where('lease_token', '=', token).execute();
}

/** Stores renewed sessions and gives their lease back; an account whose lease was lost keeps what it has. */
export async function storeSessions(
  { db, dialect }: Pick<Tx, 'db' | 'dialect'>,
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

/** Gives a lease back; after a refresh that failed, with the time to try again. */
export async function releaseAccount(db: Db, account: Renewing, token: string, again?: number): Promise<void> {
  await db
    .updateTable('accounts')
    .set({ lease_token: null, lease_until: 0, ...(again !== undefined && { refresh_at: again }) })
    .where(together(account))
    .where('lease_token', '=', token)
    .execute();
}

/** Whether an account is left that shares a grant with this one. */
export async function hasSibling(db: Db, account: Renewing): Promise<boolean> {
  const one = db.selectFrom('accounts').select('id').where(together(account)).limit(1);
  return account.grant_id !== null && (await one.executeTakeFirst()) !== undefined;
}

/** The accounts of a grant on one platform, those connected last first. */
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

/** Active accounts whose session should be refreshed by now, the most urgent first. */
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
