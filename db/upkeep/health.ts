import { sql, type SqlBool } from 'kysely';
import { livingWorkspaces } from '../access/users.ts';
import { NEVER } from '../schema/database.ts';
import type { Db } from '../store/tx.ts';

/** After this many failed attempts a receiver counts as failing. */
const FAILING_ATTEMPTS = 3;
const MOST_NAMED = 5;

/** The first few accounts that somebody has to connect again. */
export async function accountsToReconnect(db: Db): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('accounts')
    .select(['platform', 'username'])
    .where('status', '=', 'reconnect_required')
    .where('workspace_id', 'in', livingWorkspaces(db))
    .orderBy('updated_at')
    .limit(MOST_NAMED)
    .execute();
  return rows.map(({ platform, username }) => `${platform} ${username}`);
}

/** Platforms whose real accounts use the server's own app. */
export async function platformsInUse(db: Db) {
  const rows = await db
    .selectFrom('accounts')
    .select('platform')
    .distinct()
    .where('network', '=', 'real')
    .where('app_id', 'is', null)
    .where('by_key', '=', 0)
    .where('workspace_id', 'in', livingWorkspaces(db))
    .execute();
  return rows.map(({ platform }) => platform);
}

/** Endpoints that keep failing. */
export async function failingEndpoints(db: Db): Promise<readonly string[]> {
  const tried = db
    .selectFrom('deliveries')
    .select('endpoint_id')
    .where(sql<SqlBool>`deliveries.status = 'pending'`)
    .where('attempt_count', '>=', FAILING_ATTEMPTS);
  const rows = await db
    .selectFrom('endpoints')
    .select('url')
    .where('removed_at', 'is', null)
    .where('is_active', '=', 1)
    .where('id', 'in', tried)
    .limit(MOST_NAMED)
    .execute();
  return rows.map(({ url }) => url);
}

/** When the longest overdue target was due; undefined if none is overdue. */
export async function overdueSince(db: Db, before: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('targets')
    .select(({ fn }) => fn.min('due_at').as('at'))
    .where(sql<SqlBool>`targets.status in ('scheduled', 'publishing')`)
    .where('due_at', '<', Math.min(before, NEVER))
    .executeTakeFirst();
  return row?.at ?? undefined;
}
