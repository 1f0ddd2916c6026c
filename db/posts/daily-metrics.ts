import { expressionBuilder, sql, type Expression, type SqlBool } from 'kysely';
import type { Authority } from '#kernel/authority.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { PostMetrics } from '#platforms/posts.ts';
import { livingBrands } from '../access/brands.ts';
import type { Database, NewRow } from '../schema/database.ts';
import { oneOf, rowsOf, statusIs, type Dialect } from '../store/dialect.ts';
import { jsonText } from '../store/json.ts';
import type { Db, Queryable } from '../store/tx.ts';

export const COUNTS = Object.freeze(['likes', 'comments', 'shares', 'saves', 'views'] as const);
export type Counts = Readonly<Record<(typeof COUNTS)[number], number>>;

export type Measurement = Readonly<{ id: string; metrics: PostMetrics }>;

export async function storeMetrics(
  db: Db,
  dialect: Dialect,
  measured: readonly Measurement[],
  now: number,
): Promise<void> {
  if (measured.length === 0) return;
  const rows = measured.map(({ id, metrics }) => ({ id, metrics: jsonText(metrics) }));
  await sql`update targets set metrics = read.metrics, metrics_synced_at = ${now}
    from ${rowsOf(dialect, 'read', { id: 'text', metrics: 'text' }, rows)} where targets.id = read.id`.execute(db);
}

export async function planMeasurements(
  db: Db,
  dialect: Dialect,
  planned: readonly Readonly<{ id: string; measure_at: number | null }>[],
): Promise<void> {
  if (planned.length === 0) return;
  await sql`update targets set measure_at = plan.measure_at
    from ${rowsOf(dialect, 'plan', { id: 'text', measure_at: 'bigint' }, planned)}
    where targets.id = plan.id`.execute(db);
}

/** Postpones the due measurements of an account, or ends them if `until` is null. */
export async function postponeMeasurements(db: Db, accountId: string, now: number, until: number | null) {
  await db
    .updateTable('targets')
    .set({ measure_at: until })
    .where('measure_at', '<=', now)
    .where('account_id', '=', accountId)
    .execute();
}

/** Accounts with due measurements that no job measures yet. */
export async function accountsToMeasure(db: Db, now: number, limit: number): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('accounts')
    .select('id')
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('targets')
          .select('targets.id')
          .whereRef('targets.account_id', '=', 'accounts.id')
          .where('measure_at', '<=', now),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('jobs')
            .select('jobs.id')
            .where('jobs.kind', '=', 'measure_account')
            .whereRef('jobs.key', '=', 'accounts.id'),
        ),
      ),
    )
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

export function targetsToMeasure(db: Db, accountId: string, now: number, limit: number) {
  return db
    .selectFrom('targets')
    .select(['id', 'page_id', 'platform_post_id', 'metadata', 'published_at', 'status'])
    .where('measure_at', '<=', now)
    .where('account_id', '=', accountId)
    .orderBy('measure_at')
    .limit(limit)
    .execute();
}

export async function recordedCounts(db: Db, dialect: Dialect, ids: readonly string[]) {
  const targets = await db
    .selectFrom('targets')
    .innerJoin('workspaces', 'workspaces.id', 'targets.workspace_id')
    .select([
      'targets.id',
      'targets.workspace_id',
      'targets.brand_id',
      'targets.account_id',
      'targets.post_id',
      'targets.platform',
      'targets.published_at',
      'workspaces.timezone',
    ])
    .where(oneOf(dialect, 'targets.id', ids))
    .execute();
  const before = await db
    .selectFrom('daily_metrics')
    .select('target_id')
    .select(sums)
    .where(oneOf(dialect, 'target_id', ids))
    .groupBy('target_id')
    .execute();
  return { targets, before: new Map(before.map((row) => [row.target_id, row])) };
}

export async function addGains(db: Db, rows: readonly NewRow<'daily_metrics'>[]): Promise<void> {
  if (rows.length === 0) return;
  await db
    .insertInto('daily_metrics')
    .values([...rows])
    .onConflict((conflict) =>
      conflict
        .columns(['target_id', 'day'])
        .doUpdateSet((eb) =>
          Object.fromEntries(
            COUNTS.map((name) => [name, eb(`daily_metrics.${name}`, '+', eb.ref(`excluded.${name}`))]),
          ),
        ),
    )
    .execute();
}

const sums = () =>
  [...COUNTS, 'published' as const].map((name) => sql<number>`coalesce(sum(${sql.ref(name)}), 0)`.as(name));

export type Sums = Counts & Readonly<{ published: number }>;

/** Limits whose numbers are added up. */
export type MetricsFilter = Readonly<{
  brandId?: string | undefined;
  accountIds?: readonly string[] | undefined;
  platform?: PlatformSlug | undefined;
  postId?: string | undefined;
}>;

export type Days = Readonly<{ from: string; to: string }>;

/** Days, each with its times. */
export type Period = Days & Readonly<{ spans: readonly Readonly<{ day: string; since: number; until: number }>[] }>;

export type Grouping = 'day' | 'platform' | 'account_id' | 'post_id';

/** Whether the caller can see a row and it matches the filter. */
function isAskedFor(
  db: Db,
  table: 'daily_metrics' | 'targets',
  { workspace, brands }: Authority,
  { brandId, accountIds, platform, postId }: MetricsFilter,
): Expression<SqlBool> {
  const eb = expressionBuilder<Database, 'daily_metrics' | 'targets'>();
  const conditions = [eb(`${table}.workspace_id`, '=', workspace)];
  if (brands) conditions.push(eb(`${table}.brand_id`, 'in', livingBrands(db, brands)));
  if (brandId !== undefined) conditions.push(eb(`${table}.brand_id`, '=', brandId));
  if (accountIds) conditions.push(eb(`${table}.account_id`, 'in', accountIds));
  if (platform !== undefined) conditions.push(eb(`${table}.platform`, '=', platform));
  if (postId !== undefined) {
    // Find the daily rows by their target, which begins the key of the table.
    const id = table === 'targets' ? 'targets.id' : 'daily_metrics.target_id';
    conditions.push(eb(id, 'in', db.selectFrom('targets').select('id').where('post_id', '=', postId)));
  }
  return eb.and(conditions);
}

/**
 * Gains in a period. The first measurement of a target also records its publication. Before that, or if the platform
 * has no metrics, `published_at` counts.
 */
function gainsIn({ db, dialect }: Queryable, authority: Authority, filter: MetricsFilter, { from, to, spans }: Period) {
  const counts = sql.join(COUNTS.map((name) => sql.ref(name)));
  const nothing = sql.join(COUNTS.map((name) => sql`0 as ${sql.ref(name)}`));
  const days = rowsOf(dialect, 'span', { day: 'text', since: 'bigint', until: 'bigint' }, spans);
  const gains = sql<Sums & Readonly<Record<Grouping, string>>>`(
    select day, platform, account_id, post_id, published, ${counts} from daily_metrics
    where ${isAskedFor(db, 'daily_metrics', authority, filter)} and day >= ${from} and day <= ${to}
    union all
    select span.day, targets.platform, targets.account_id, targets.post_id, 1 as published, ${nothing}
    from ${days} cross join targets
    where ${isAskedFor(db, 'targets', authority, filter)} and ${statusIs('targets', 'published')}
      and targets.published_at >= span.since and targets.published_at < span.until
      and not exists (select 1 from daily_metrics where target_id = targets.id))`;
  return db.selectFrom(gains.as('gains'));
}

/** Gains per day, platform, account or post, in no order. */
export function sumGainsBy(
  reading: Queryable,
  authority: Authority,
  { filter, period, by }: Readonly<{ filter: MetricsFilter; period: Period; by: Grouping }>,
): Promise<(Sums & Readonly<{ key: string }>)[]> {
  return gainsIn(reading, authority, filter, period)
    .select(`${by} as key`)
    .select(sums)
    .groupBy(by)
    .$castTo<Sums & Readonly<{ key: string }>>()
    .execute();
}

export type Freshness = Readonly<{
  targets: number;
  measured: number;
  oldest: number | null;
  newest: number | null;
}>;

/** How many targets were published in a period, and when they were last measured. */
export function freshnessOf(
  db: Db,
  authority: Authority,
  filter: MetricsFilter,
  { since, until }: Readonly<{ since: number; until: number }>,
): Promise<Freshness> {
  return db
    .selectFrom('targets')
    .where(isAskedFor(db, 'targets', authority, filter))
    .where(statusIs('targets', 'published'))
    .where('published_at', '>=', since)
    .where('published_at', '<', until)
    .select(({ fn }) => [
      fn.countAll<number>().as('targets'),
      fn.count<number>('metrics_synced_at').as('measured'),
      fn.min<number | null>('metrics_synced_at').as('oldest'),
      fn.max<number | null>('metrics_synced_at').as('newest'),
    ])
    .executeTakeFirstOrThrow();
}
