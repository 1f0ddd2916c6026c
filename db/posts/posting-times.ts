import { sql, type SqlBool } from 'kysely';
import type { Authority } from '#kernel/authority.ts';
import type { WeeklyTime } from '#kernel/text/local-time.ts';
import type { NewRow } from '../schema/database.ts';
import { oneOf } from '../store/dialect.ts';
import type { Db, Queryable } from '../store/tx.ts';

/** The posting times of the workspace, or those that a brand has of its own; undefined if none are set. */
export async function findPostingTimes(
  db: Db,
  { workspace }: Authority,
  brandId: string | null,
): Promise<readonly WeeklyTime[] | undefined> {
  const row = await db
    .selectFrom('posting_times')
    .select('times')
    .where('owner_id', '=', brandId ?? workspace)
    .where('workspace_id', '=', workspace)
    .executeTakeFirst();
  return row?.times;
}

/** Replaces the posting times of a workspace or brand; no times remove them. */
export async function putPostingTimes(db: Db, row: NewRow<'posting_times'>): Promise<void> {
  if (row.times.length === 0) {
    await db.deleteFrom('posting_times').where('owner_id', '=', row.owner_id).execute();
    return;
  }
  const { times, updated_at } = row;
  await db
    .insertInto('posting_times')
    .values(row)
    .onConflict((conflict) => conflict.column('owner_id').doUpdateSet({ times, updated_at }))
    .execute();
}

/** When posts for any of the accounts are planned within a period. */
export async function plannedTimes(
  db: Db,
  { workspace }: Authority,
  accountIds: readonly string[],
  { from, to }: Readonly<{ from: number; to: number }>,
): Promise<readonly number[]> {
  const rows = await db
    .selectFrom('targets')
    .select('due_at')
    .distinct()
    .where('workspace_id', '=', workspace)
    .where('account_id', 'in', accountIds)
    // A literal, as in the condition of the index.
    .where(sql<SqlBool>`targets.status = 'scheduled'`)
    .where('due_at', '>=', from)
    .where('due_at', '<=', to)
    .execute();
  return rows.map(({ due_at }) => due_at);
}

/** Those of some posts that are for any of the accounts. */
export async function postsForAccounts(
  { db, dialect }: Queryable,
  { workspace }: Authority,
  postIds: readonly string[],
  accountIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (postIds.length === 0) return new Set();
  const rows = await db
    .selectFrom('targets')
    .select('post_id')
    .distinct()
    .where('workspace_id', '=', workspace)
    .where(oneOf(dialect, 'post_id', postIds))
    .where('account_id', 'in', accountIds)
    .execute();
  return new Set(rows.map(({ post_id }) => post_id));
}
