import { sql, type Kysely } from 'kysely';
import { createTable, type Dialect, type TableSpec } from '../table.ts';

const TABLE: TableSpec = {
  columns: {
    target_id: 'id > targets',
    day: 'key',
    workspace_id: 'id > workspaces',
    brand_id: 'id',
    account_id: 'id',
    post_id: 'id',
    platform: 'text',
    published: 'int',
    likes: 'int',
    comments: 'int',
    shares: 'int',
    saves: 'int',
    views: 'int',
  },
  primary: ['target_id', 'day'],
  indexes: { daily_metrics_day: '(workspace_id, day)' },
};

/** The youngest posts of a store are counted first; older ones gain little any more. */
const MEASURED_MS = 90 * 86_400_000;

/** What published targets gained each day, and when they are counted next. */
export const dailyMetrics = Object.freeze({
  version: 27,
  name: 'daily-metrics',
  async up(db: Kysely<never>, dialect: Dialect): Promise<void> {
    await createTable(db, dialect, 'daily_metrics', TABLE);
    const statements = [
      `alter table targets add column measure_at ${dialect === 'postgres' ? 'bigint' : 'integer'}`,
      `update targets set measure_at = published_at where status = 'published' and platform_post_id is not null
        and published_at >= (select max(published_at) from targets) - ${MEASURED_MS}`,
      'create index targets_measured on targets (account_id, measure_at) where measure_at is not null',
      "create index targets_published on targets (workspace_id, published_at) where status = 'published'",
    ];
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
});
