import type { Db } from '../store/tx.ts';
import type { Authority } from '#kernel/authority.ts';
import type { NewRow, Row } from '../schema/database.ts';

export type RedirectUriRow = Row<'redirect_uris'>;

export function listRedirectUris(db: Db, authority: Authority): Promise<RedirectUriRow[]> {
  return db
    .selectFrom('redirect_uris')
    .selectAll()
    .where('workspace_id', '=', authority.workspace)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

/** False if the address is already registered. */
export async function insertRedirectUri(db: Db, row: NewRow<'redirect_uris'>): Promise<boolean> {
  const made = await db
    .insertInto('redirect_uris')
    .values(row)
    .onConflict((conflict) => conflict.columns(['workspace_id', 'uri_hash']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return made !== undefined;
}

/** Returns the deleted address. */
export async function deleteRedirectUri(db: Db, authority: Authority, id: string): Promise<string | undefined> {
  const deleted = await db
    .deleteFrom('redirect_uris')
    .where('workspace_id', '=', authority.workspace)
    .where('id', '=', id)
    .returning('uri')
    .executeTakeFirst();
  return deleted?.uri;
}

/** Whether a connection may redirect to this address: a registered one, or any if none is registered. */
export async function admitsRedirectUri(db: Db, workspaceId: string, uriHash: string): Promise<boolean> {
  const registered = db.selectFrom('redirect_uris').select('id').where('workspace_id', '=', workspaceId).limit(1);
  if ((await registered.where('uri_hash', '=', uriHash).executeTakeFirst()) !== undefined) return true;
  return (await registered.executeTakeFirst()) === undefined;
}
