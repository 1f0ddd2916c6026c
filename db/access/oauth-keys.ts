import type { NewRow, Row } from '../schema/database.ts';
import type { Db } from '../store/tx.ts';

export type OauthKeyRow = Row<'oauth_keys'>;

export function listSigningKeys(db: Db): Promise<OauthKeyRow[]> {
  return db.selectFrom('oauth_keys').selectAll().orderBy('generation').execute();
}

/** Adds a signing key, unless another process was faster to add one for this generation. */
export async function insertSigningKey(db: Db, row: NewRow<'oauth_keys'>): Promise<void> {
  await db
    .insertInto('oauth_keys')
    .values(row)
    .onConflict((conflict) => conflict.column('generation').doNothing())
    .execute();
}

export async function deleteSigningKeys(db: Db, belowGeneration: number): Promise<void> {
  await db.deleteFrom('oauth_keys').where('generation', '<', belowGeneration).execute();
}
