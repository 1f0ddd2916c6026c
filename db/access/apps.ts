import type { Authority } from '#kernel/authority.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { AccountRow } from './accounts.ts';
import type { NewRow, Row, RowPatch } from '../schema/database.ts';
import { hold, type Dialect } from '../store/dialect.ts';
import type { Db } from '../store/tx.ts';

export type AppRow = Row<'apps'>;

/** What an app is for: a platform, and one brand, or all brands without an app of their own. */
export type AppScope = Readonly<{ workspace: string; platform: PlatformSlug; brand: string | null }>;

function appsIn(db: Db, { workspace, platform, brand }: AppScope) {
  const apps = db.selectFrom('apps').selectAll().where('workspace_id', '=', workspace).where('platform', '=', platform);
  return brand === null ? apps.where('brand_id', 'is', null) : apps.where('brand_id', '=', brand);
}

/** Includes retired apps. */
export async function appIdsAt(db: Db, scope: AppScope): Promise<readonly string[]> {
  return (await appsIn(db, scope).execute()).map(({ id }) => id);
}

export function loadApp(db: Db, id: string): Promise<AppRow | undefined> {
  return db.selectFrom('apps').selectAll().where('id', '=', id).executeTakeFirst();
}

export function listApps(db: Db, { workspace }: Authority, platform: PlatformSlug): Promise<AppRow[]> {
  return db
    .selectFrom('apps')
    .selectAll()
    .where('workspace_id', '=', workspace)
    .where('platform', '=', platform)
    .where('retired_at', 'is', null)
    .orderBy('id')
    .execute();
}

/** Locks the apps of a scope, including retired ones. */
export function holdApps(db: Db, dialect: Dialect, scope: AppScope): Promise<AppRow[]> {
  return hold(dialect, appsIn(db, scope).orderBy('id')).execute();
}

/** False if another app was added to the scope first. */
export async function insertApp(db: Db, row: NewRow<'apps'>): Promise<boolean> {
  const insert = db.insertInto('apps').values(row);
  const made = await insert
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return made !== undefined;
}

export async function patchApp(db: Db, id: string, patch: RowPatch<'apps'>): Promise<void> {
  await db.updateTable('apps').set(patch).where('id', '=', id).execute();
}

export async function deleteApps(db: Db, ids: readonly string[]): Promise<void> {
  await db.deleteFrom('apps').where('id', 'in', ids).execute();
}

/** Deletes apps that were retired before `before` and have no accounts left; returns how many. */
export async function sweepApps(db: Db, before: number): Promise<number> {
  const result = await db
    .deleteFrom('apps')
    .where('retired_at', '<', before)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('accounts').select('accounts.id').whereRef('accounts.app_id', '=', 'apps.id'))),
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

export function accountsOfApp(db: Db, platform: PlatformSlug, appId: string): Promise<AccountRow[]> {
  const accounts = db.selectFrom('accounts').selectAll().where('platform', '=', platform);
  return accounts.where('app_id', '=', appId).orderBy('id').execute();
}

export async function accountsOfApps(db: Db, appIds: readonly string[]): Promise<AccountRow[]> {
  if (appIds.length === 0) return [];
  return db.selectFrom('accounts').selectAll().where('app_id', 'in', appIds).execute();
}
