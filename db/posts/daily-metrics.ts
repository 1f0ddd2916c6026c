import { sql } from 'kysely';
import type { Authority } from '#kernel/authority.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { PostMetrics } from '#platforms/posts.ts';
import { livingBrands } from '../access/brands.ts';
import type { NewRow } from '../schema/database.ts';
import { oneOf, rowsOf, statusIs, type Dialect } from '../store/dialect.ts';
import { jsonText } from '../store/json.ts';
import type { Db } from '../store/tx.ts';

export const COUNTS = Object.freeze(['likes', 'comments', 'shares', 'saves', 'views'] as const);
export type Counts = Readonly<Record<(typeof COUNTS)[number], number>>;

export type Measurement = Readonly<{ id: string; metrics: PostMetrics }>;

/** Stores metrics in one statement. */
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

/** Sets the next measurements in one statement. */
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

/** Postpones an account's due measurements; null ends them. */
export async function postponeMeasurements(db: Db, accountId: string, now: number, until: number | null) {
  await db
    .updateTable('targets')
    .set({ measure_at: until })
    .where('measure_at', '<=', now)
    .where('account_id', '=', accountId)
    .execute();
}

/** Some accounts with targets to measure. */
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
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** An account's targets to measure, longest due first. */
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

/** Targets with the counts recorded so far. */
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

/** Adds gains to days. */
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

type Sums = Counts & Readonly<{ published: number }>;

/** Which numbers are added up. */
export type MetricsFilter = Readonly<{
  brandId?: string | undefined;
  accountIds?: readonly string[] | undefined;
  platform?: PlatformSlug | undefined;
}>;

/** An inclusive range of days. */
export type Days = Readonly<{ from: string; to: string }>;

function within(
  db: Db,
  { workspace, brands }: Authority,
  { brandId, accountIds, platform }: MetricsFilter,
  days: Days,
) {
  let query = db
    .selectFrom('daily_metrics')
    .where('workspace_id', '=', workspace)
    .where('day', '>=', days.from)
    .where('day', '<=', days.to);
  if (brands) query = query.where('brand_id', 'in', livingBrands(db, brands));
  if (brandId !== undefined) query = query.where('brand_id', '=', brandId);
  if (accountIds) query = query.where('account_id', 'in', accountIds);
  return platform === undefined ? query : query.where('platform', '=', platform);
}

/** Visible gains in a range of days. */
export function sumGains(db: Db, authority: Authority, filter: MetricsFilter, days: Days): Promise<Sums> {
  return within(db, authority, filter, days).select(sums).$castTo<Sums>().executeTakeFirstOrThrow();
}

export type Grouping = 'day' | 'platform' | 'account_id' | 'post_id';

/** Gains per day (in order), or per platform, account or post (by size); one more than `limit`. */
export function sumGainsBy(
  db: Db,
  authority: Authority,
  { filter, days, by, limit }: Readonly<{ filter: MetricsFilter; days: Days; by: Grouping; limit: number }>,
): Promise<(Sums & Readonly<{ key: string }>)[]> {
  const gained = sql`sum(likes + comments + shares + saves)`;
  const query = within(db, authority, filter, days).select(`${by} as key`).select(sums).groupBy(by);
  const sorted = by === 'day' ? query : query.orderBy(gained, 'desc').orderBy(sql`sum(views)`, 'desc');
  return sorted
    .orderBy(by)
    .limit(limit + 1)
    .$castTo<Sums & Readonly<{ key: string }>>()
    .execute();
}

export type Freshness = Readonly<{
  targets: number;
  measured: number;
  oldest: number | null;
  newest: number | null;
}>;

/** Targets published in a period, and when they were last measured. */
export function freshnessOf(
  db: Db,
  { workspace, brands }: Authority,
  { brandId, accountIds, platform }: MetricsFilter,
  { from, until }: Readonly<{ from: number; until: number }>,
): Promise<Freshness> {
  let query = db
    .selectFrom('targets')
    .where('workspace_id', '=', workspace)
    .where(statusIs('targets', 'published'))
    .where('published_at', '>=', from)
    .where('published_at', '<', until);
  if (brands) query = query.where('brand_id', 'in', livingBrands(db, brands));
  if (brandId !== undefined) query = query.where('brand_id', '=', brandId);
  if (accountIds) query = query.where('account_id', 'in', accountIds);
  if (platform !== undefined) query = query.where('platform', '=', platform);
  return query
    .select(({ fn }) => [
      fn.countAll<number>().as('targets'),
      fn.count<number>('metrics_synced_at').as('measured'),
      fn.min<number | null>('metrics_synced_at').as('oldest'),
      fn.max<number | null>('metrics_synced_at').as('newest'),
    ])
    .executeTakeFirstOrThrow();
}
