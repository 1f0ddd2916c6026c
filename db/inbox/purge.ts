import { sql } from 'kysely';
import type { Position } from '#kernel/pagination.ts';
import { beyond } from '../store/keyset.ts';
import { oneOf, type Dialect } from '../store/dialect.ts';
import type { JsonObject } from '../schema/column.ts';
import type { Erased } from '../schema/database.ts';
import type { Db } from '../store/tx.ts';

/** The tables of an account's inbox, with the columns that identify a row. */
const TABLES = Object.freeze({
  inbox_words: 'id',
  comments: 'platform_id',
  messages: 'platform_id',
  mentions: 'platform_id',
  reviews: 'platform_id',
  aliases: 'alias',
  conversations: 'id',
  inbox_posts: 'id',
  sends: 'id',
  templates: 'id',
} as const);

/** Deletes up to `limit` rows of a deleted account; returns how many. */
export async function purgeInbox(db: Db, accountId: string, limit: number): Promise<number> {
  let deleted = 0;
  for (const [table, key] of Object.entries(TABLES)) {
    if (deleted >= limit) break;
    const { numAffectedRows = 0n } = await sql`
      delete from ${sql.table(table)} where account_id = ${accountId} and ${sql.ref(key)} in
        (select ${sql.ref(key)} from ${sql.table(table)} where account_id = ${accountId} limit ${limit - deleted})`.execute(
      db,
    );
    deleted += Number(numAffectedRows);
  }
  return deleted;
}

/** Erases a deleted account from some events and log entries, except from its deletion. Returns the next position. */
export async function eraseTraces(
  db: Db,
  dialect: Dialect,
  { id, workspace_id, told }: Erased,
  from: Position | undefined,
  limit: number,
): Promise<Position | undefined> {
  let query = db
    .selectFrom('log')
    .select(['id', 'created_at', 'metadata'])
    .where('workspace_id', '=', workspace_id)
    .where('account_id', '=', id);
  if (from) {
    query = query.where(beyond(['created_at', 'id'], '>', from));
  }
  const entries = await query.orderBy('created_at').orderBy('id').limit(limit).execute();
  const erased = entries
    .map(({ id: entry, metadata }) => ({ entry, event: eventOf(metadata) }))
    .filter(({ event }) => event !== told);
  const events = erased.flatMap(({ event }) => (event === undefined ? [] : [event]));
  const log = erased.map(({ entry }) => entry);
  await db
    .deleteFrom('events')
    .where(oneOf(dialect, 'id', events))
    .execute();
  await db
    .updateTable('log')
    .set({
      summary: 'erased',
      error_message: null,
      metadata: {},
      resource_id: sql`case when category = 'inbox' then null else resource_id end`,
    })
    .where(oneOf(dialect, 'id', log))
    .execute();
  const last = entries.at(-1);
  return last && entries.length === limit ? { at: last.created_at, id: last.id } : undefined;
}

function eventOf({ event_id }: JsonObject): string | undefined {
  return typeof event_id === 'string' ? event_id : undefined;
}
