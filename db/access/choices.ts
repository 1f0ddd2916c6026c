import type { Authority } from '#kernel/authority.ts';
import type { NewRow, Row } from '../schema/database.ts';
import type { Db } from '../store/tx.ts';
import { livingWorkspaces } from './users.ts';

export type ChoiceRow = Row<'choices'>;

export async function insertChoice(db: Db, row: NewRow<'choices'>): Promise<void> {
  await db.insertInto('choices').values(row).execute();
}

export function findChoice(db: Db, authority: Authority, id: string, now: number): Promise<ChoiceRow | undefined> {
  return db
    .selectFrom('choices')
    .selectAll()
    .where('id', '=', id)
    .where('workspace_id', '=', authority.workspace)
    .where('expires_at', '>', now)
    .$if(authority.brands !== undefined, (query) => query.where('brand_id', 'in', [...authority.brands!]))
    .executeTakeFirst();
}

export function loadChoice(db: Db, id: string, now: number): Promise<ChoiceRow | undefined> {
  return db
    .selectFrom('choices')
    .selectAll()
    .where('id', '=', id)
    .where('expires_at', '>', now)
    .where('workspace_id', 'in', livingWorkspaces(db))
    .executeTakeFirst();
}

/** Takes a pending choice. Only one of several concurrent calls gets true. */
export async function takeChoice(db: Db, id: string): Promise<boolean> {
  const result = await db.deleteFrom('choices').where('id', '=', id).executeTakeFirst();
  return result.numDeletedRows > 0n;
}
