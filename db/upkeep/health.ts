import { sql, type SqlBool } from 'kysely';
import { livingWorkspaces } from '../access/users.ts';
import { NEVER } from '../schema/database.ts';
import type { Db } from '../store/tx.ts';

/** Attempts after which a receiver counts as failing. */
const FAILING_ATTEMPTS = 3;
const MOST_NAMED = 5;

/** Accounts that people must connect again, the first few of them. */
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

/** The platforms of accounts on the real network whose app is the server's own. */
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

/** Endpoints that keep refusing what is sent to them. */
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

/** When the longest overdue target was due; undefined if none is. */
export async function overdueSince(db: Db, before: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('targets')
    .select(({ fn }) => fn.min('due_at').as('at'))
    .where(sql<SqlBool>`targets.status in ('scheduled', 'publishing')`)
    .where('due_at', '<', Math.min(before, NEVER))
    .executeTakeFirst();
  return row?.at ?? undefined;
}
