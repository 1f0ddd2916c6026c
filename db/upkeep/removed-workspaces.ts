import { sql } from 'kysely';
import { removeHistory } from '../delivery/sweep.ts';
import type { Db } from '../store/tx.ts';

/** The tables with rows of a removed workspace, and their keys, in an order that avoids large cascades. */
const TABLES = Object.freeze({
  inbox_words: ['id'],
  comments: ['account_id', 'platform_id'],
  messages: ['account_id', 'platform_id'],
  mentions: ['account_id', 'platform_id'],
  reviews: ['account_id', 'platform_id'],
  aliases: ['account_id', 'thing', 'alias'],
  conversations: ['id'],
  inbox_posts: ['id'],
  sends: ['id'],
  templates: ['account_id', 'id'],
  log: ['id'],
  publish_log: ['id'],
  daily_metrics: ['target_id', 'day'],
  targets: ['id'],
  posts: ['id'],
  media: ['id'],
  export_posts: ['export_id', 'platform_id'],
  exports: ['id'],
  idempotency: ['id'],
  events: ['id'],
  connection_counts: ['connection_id', 'day', 'act'],
  answered: ['connection_id', 'item'],
  actions: ['id'],
  audit: ['id'],
} as const);

/** Deletes about `limit` rows of removed workspaces; 0 when none is left. Another sweep deletes the bytes of media. */
export async function sweepRemovedWorkspaces(db: Db, limit: number): Promise<number> {
  const workspace = await db
    .selectFrom('workspaces')
    .select('id')
    .where('removed_at', 'is not', null)
    .orderBy('removed_at')
    .limit(1)
    .executeTakeFirst();
  if (!workspace) return 0;
  let deleted = await removeDeliveries(db, workspace.id, limit);
  for (const [table, key] of Object.entries(TABLES)) {
    if (deleted >= limit) return deleted;
    deleted += await removeFrom(db, table, key, workspace.id, limit - deleted);
  }
  if (deleted > 0) return deleted;
  await db.deleteFrom('workspaces').where('id', '=', workspace.id).execute();
  return 1;
}

/** One endpoint at a time, as the index of deliveries is sorted. Endpoints without deliveries are deleted too. */
async function removeDeliveries(db: Db, workspaceId: string, limit: number): Promise<number> {
  let deleted = 0;
  while (deleted < limit) {
    const endpoint = await db
      .selectFrom('endpoints')
      .select('id')
      .where('workspace_id', '=', workspaceId)
      .limit(1)
      .executeTakeFirst();
    if (!endpoint) break;
    deleted += await removeHistory(db, endpoint.id, limit - deleted);
    if (deleted >= limit) break;
    await db.deleteFrom('endpoints').where('id', '=', endpoint.id).execute();
    deleted += 1;
  }
  return deleted;
}

async function removeFrom(
  db: Db,
  table: string,
  key: readonly string[],
  workspaceId: string,
  limit: number,
): Promise<number> {
  const columns = sql.join(key.map((column) => sql.ref(column)));
  const { numAffectedRows = 0n } = await sql`
    delete from ${sql.table(table)} where (${columns}) in
      (select ${columns} from ${sql.table(table)} where workspace_id = ${workspaceId} limit ${limit})`.execute(db);
  return Number(numAffectedRows);
}
