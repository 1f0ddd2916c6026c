import { sql, type Kysely } from 'kysely';
import type { Dialect } from '../table.ts';

const COLUMNS: Readonly<Record<Dialect, readonly string[]>> = Object.freeze({
  sqlite: ['position integer not null default 0', 'kind text'],
  postgres: ['position bigint not null default 0', 'kind text collate "C"'],
});

/** What stands behind the sort keys answers a filter or a count without a look at the row itself. */
const INDEXES: Readonly<Record<string, string>> = Object.freeze({
  log_recent: '(workspace_id, created_at, id, platform, action)',
  log_sorted: '(workspace_id, category, status, created_at, id, kind, platform, action)',
  log_account: '(workspace_id, account_id, created_at, id, category, status, action) where account_id is not null',
  log_resource: '(workspace_id, resource_id, created_at, id) where resource_id is not null',
  log_errors: '(workspace_id, created_at, error_category) where error_category is not null',
  log_committed: '(workspace_id, position, id)',
});

/** The activity log becomes something to be read: filtered, counted, and followed in the order of commits. */
export const activity = Object.freeze({
  version: 5,
  name: 'activity',
  async up(db: Kysely<never>, dialect: Dialect): Promise<void> {
    for (const column of COLUMNS[dialect]) await sql.raw(`alter table log add column ${column}`).execute(db);
    await sql.raw('drop index log_newest').execute(db);
    for (const [name, on] of Object.entries(INDEXES)) await sql.raw(`create index ${name} on log ${on}`).execute(db);
  },
});
