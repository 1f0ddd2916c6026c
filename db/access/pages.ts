import type { PlatformSlug } from '#kernel/platforms.ts';
import type { AccountRow } from './accounts.ts';
import type { Network, NewRow, Row, RowPatch } from '../schema/database.ts';
import type { Db } from '../store/tx.ts';
import type { Authority } from '#kernel/authority.ts';

export type PageRow = Row<'pages'>;

export function listPages(db: Db, accountId: string): Promise<PageRow[]> {
  return db.selectFrom('pages').selectAll().where('account_id', '=', accountId).orderBy('id').execute();
}

/** How many active pages a workspace has beyond the first one of each account. */
export async function countExtraPages(db: Db, workspaceId: string): Promise<number> {
  const { active, accounts } = await db
    .selectFrom('pages')
    .select(({ fn }) => [fn.countAll<number>().as('active'), fn.count<number>('account_id').distinct().as('accounts')])
    .where('workspace_id', '=', workspaceId)
    .where('is_active', '=', 1)
    .executeTakeFirstOrThrow();
  return active - accounts;
}

export function pagesOf(db: Db, accountIds: readonly string[]): Promise<PageRow[]> {
  if (accountIds.length === 0) return Promise.resolve([]);
  return db.selectFrom('pages').selectAll().where('account_id', 'in', accountIds).orderBy('id').execute();
}

export function pageNamed(pages: readonly PageRow[], named: string): PageRow | undefined {
  return pages.find(({ id }) => id === named) ?? pages.find(({ platform_page_id }) => platform_page_id === named);
}

export function pagesNamed(db: Db, { workspace }: Authority, platformPageId: string) {
  return db
    .selectFrom('pages')
    .select('pages.id')
    .where('pages.workspace_id', '=', workspace)
    .where('pages.platform_page_id', '=', platformPageId);
}

export function defaultPage(pages: readonly PageRow[]): PageRow | undefined {
  const active = pages.filter(({ is_active }) => is_active === 1);
  return active.find(({ is_default }) => is_default === 1) ?? active[0];
}

export async function insertPage(db: Db, row: NewRow<'pages'>): Promise<void> {
  await db.insertInto('pages').values(row).execute();
}

export async function patchPage(db: Db, id: string, patch: RowPatch<'pages'>): Promise<void> {
  await db.updateTable('pages').set(patch).where('id', '=', id).execute();
}

export function accountsOfPage(
  db: Db,
  platform: PlatformSlug,
  network: Network,
  platformPageId: string,
): Promise<AccountRow[]> {
  return db
    .selectFrom('pages')
    .innerJoin('accounts', 'accounts.id', 'pages.account_id')
    .selectAll('accounts')
    .where('pages.platform_page_id', '=', platformPageId)
    .where('pages.is_active', '=', 1)
    .where('accounts.platform', '=', platform)
    .where('accounts.network', '=', network)
    .orderBy('accounts.id')
    .execute();
}
