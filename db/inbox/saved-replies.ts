import type { ExpressionBuilder } from 'kysely';
import type { Authority } from '#kernel/authority.ts';
import type { Database, NewRow, Row, RowPatch } from '../schema/database.ts';
import type { Db } from '../store/tx.ts';

export type SavedReplyRow = Row<'saved_replies'>;

/** Saved replies of the caller's workspace that are for all brands or for a brand the caller can see. */
function visible({ workspace, brands }: Authority) {
  return (where: ExpressionBuilder<Database, 'saved_replies'>) =>
    where.and([
      where('workspace_id', '=', workspace),
      ...(brands ? [where.or([where('brand_id', 'is', null), where('brand_id', 'in', brands)])] : []),
    ]);
}

/** Newest first. With a brand, those of that brand and those for all brands. */
export function listSavedReplies(db: Db, authority: Authority, brandId: string | undefined): Promise<SavedReplyRow[]> {
  let query = db.selectFrom('saved_replies').selectAll().where(visible(authority));
  if (brandId !== undefined)
    query = query.where((where) => where.or([where('brand_id', 'is', null), where('brand_id', '=', brandId)]));
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').execute();
}

export async function countSavedReplies(db: Db, { workspace }: Authority): Promise<number> {
  const { n } = await db
    .selectFrom('saved_replies')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('workspace_id', '=', workspace)
    .executeTakeFirstOrThrow();
  return n;
}

export async function insertSavedReply(db: Db, row: NewRow<'saved_replies'>): Promise<void> {
  await db.insertInto('saved_replies').values(row).execute();
}

/** Returns the changed row; undefined if the caller can see no such reply. */
export function patchSavedReply(
  db: Db,
  authority: Authority,
  id: string,
  patch: RowPatch<'saved_replies'>,
): Promise<SavedReplyRow | undefined> {
  return db
    .updateTable('saved_replies')
    .set(patch)
    .where(visible(authority))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** Returns the deleted row; undefined if the caller can see no such reply. */
export function deleteSavedReply(db: Db, authority: Authority, id: string): Promise<SavedReplyRow | undefined> {
  return db
    .deleteFrom('saved_replies')
    .where(visible(authority))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}
