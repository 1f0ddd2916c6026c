import type { Act } from '#kernel/acts.ts';
import type { Authority } from '#kernel/authority.ts';
import type { PageSpan } from '#kernel/pagination.ts';
import type { NewRow, Row, RowPatch } from '../schema/database.ts';
import type { AuditVerdict } from '../schema/leash.ts';
import { beyond } from '../store/keyset.ts';
import type { Db } from '../store/tx.ts';

export type AuditRow = Row<'audit'>;

export type AuditFilter = Readonly<{
  connection_id?: string | undefined;
  user_id?: string | undefined;
  tool?: string | undefined;
  act?: Act | undefined;
  verdict?: AuditVerdict | undefined;
  /** In milliseconds, inclusive. */
  since?: number | undefined;
  /** In milliseconds, exclusive. */
  until?: number | undefined;
}>;

/** Adds a row, or updates the verdict if the row exists. */
export async function putAudit(db: Db, row: NewRow<'audit'>): Promise<void> {
  const { verdict, act } = row;
  await db
    .insertInto('audit')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ verdict, act }))
    .execute();
}

export async function removeAudit(db: Db, id: string): Promise<void> {
  await db.deleteFrom('audit').where('id', '=', id).execute();
}

/** Adds the outcome to a row. */
export async function endAudit(db: Db, id: string, patch: RowPatch<'audit'>): Promise<void> {
  await db.updateTable('audit').set(patch).where('id', '=', id).execute();
}

/** Rows of a workspace, newest first. */
export function listAudit(
  db: Db,
  { workspace }: Authority,
  { since, until, ...equal }: AuditFilter,
  { limit, from }: PageSpan,
): Promise<AuditRow[]> {
  let query = db.selectFrom('audit').selectAll().where('workspace_id', '=', workspace);
  for (const column of ['connection_id', 'user_id', 'tool', 'act', 'verdict'] as const) {
    const value = equal[column];
    if (value !== undefined) query = query.where(column, '=', value);
  }
  if (since !== undefined) query = query.where('at', '>=', since);
  if (until !== undefined) query = query.where('at', '<', until);
  if (from) query = query.where(beyond(['at', 'id'], '<', from));
  return query
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute();
}

/** Deletes up to `limit` rows from before `before`; returns how many. */
export async function sweepAudit(db: Db, before: number, limit: number): Promise<number> {
  const old = db.selectFrom('audit').select('id').where('at', '<', before).orderBy('at').limit(limit);
  return Number((await db.deleteFrom('audit').where('id', 'in', old).executeTakeFirst()).numDeletedRows);
}
