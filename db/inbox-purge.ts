import { sql } from 'kysely';
import type { Db } from './tx.ts';

/** Tables of an account's inbox, with what tells their rows apart. */
const TABLES = Object.freeze({
  comments: 'platform_id',
  messages: 'platform_id',
  mentions: 'platform_id',
  reviews: 'platform_id',
  conversations: 'id',
  inbox_posts: 'id',
  sends: 'id',
} as const);

/** One step of taking away what an account left behind: at most `limit` rows. Answers how many went. */
export async function purgeInbox(db: Db, accountId: string, limit: number): Promise<number> {
  let gone = 0;
  for (const [table, key] of Object.entries(TABLES)) {
    if (gone >= limit) break;
    const { numAffectedRows = 0n } = await sql`
      delete from ${sql.table(table)} where account_id = ${accountId} and ${sql.ref(key)} in
        (select ${sql.ref(key)} from ${sql.table(table)} where account_id = ${accountId} limit ${limit - gone})`.execute(
      db,
    );
    gone += Number(numAffectedRows);
  }
  return gone;
}
