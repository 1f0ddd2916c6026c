import { sql } from 'kysely';
import type { JobKind } from '#kernel/jobs.ts';
import { livingWorkspaces } from '../access/users.ts';
import { NEVER } from '../schema/database.ts';
import type { Dialect } from '../store/dialect.ts';
import type { Db } from '../store/tx.ts';

/** Counting stops here, because larger numbers say nothing more. */
const MOST_COUNTED = 10_000;

/** How much work is due but not running, and since when the oldest is due; null if there is none. */
export type Backlog = Readonly<{ due: number; since: number | null }>;

export const NONE: Backlog = Object.freeze({ due: 0, since: null });

// Partial indexes need a literal condition. A lease moves the due time to its end.

/** Targets of posts that are due. */
export async function dueTargets(db: Db, now: number): Promise<Backlog> {
  const { rows } = await sql<Backlog>`
    select count(*) as due, min(due_at) as since from (
      select due_at from targets where status in ('scheduled', 'publishing') and due_at <= ${Math.min(now, NEVER - 1)}
      order by due_at limit ${MOST_COUNTED}
    ) waiting`.execute(db);
  return rows[0] ?? NONE;
}

export async function dueDeliveries(db: Db, now: number): Promise<Backlog> {
  const { rows } = await sql<Backlog>`
    select count(*) as due, min(run_at) as since from (
      select run_at from deliveries where status = 'pending' and run_at <= ${now}
      order by run_at limit ${MOST_COUNTED}
    ) waiting`.execute(db);
  return rows[0] ?? NONE;
}

/** Due jobs per kind; leaves out kinds without any. */
export async function dueJobs(
  db: Db,
  kinds: readonly JobKind[],
  now: number,
): Promise<readonly (Backlog & Readonly<{ kind: JobKind }>)[]> {
  // One query per kind, so that each reads a range of the index and stops at the limit.
  const ranges = kinds.map(
    (kind) => sql`select ${sql.lit(kind)} as kind, count(*) as due, min(run_at) as since from (
      select run_at from jobs where kind = ${kind} and run_at <= ${now} order by run_at limit ${MOST_COUNTED}
    ) waiting`,
  );
  const { rows } = await sql<Backlog & { kind: JobKind }>`${sql.join(ranges, sql` union all `)}`.execute(db);
  return rows.filter(({ due }) => due > 0);
}

/** How many accounts are connected, by platform and status. */
export async function countAccounts(db: Db) {
  return db
    .selectFrom('accounts')
    .select(['platform', 'status', ({ fn }) => fn.countAll<number>().as('n')])
    .where('workspace_id', 'in', livingWorkspaces(db))
    .groupBy(['platform', 'status'])
    .execute();
}

/** How many webhook endpoints there are, by state. */
export async function countEndpoints(db: Db) {
  return db
    .selectFrom('endpoints')
    .select(['is_active', 'failing', ({ fn }) => fn.countAll<number>().as('n')])
    .where('removed_at', 'is', null)
    .groupBy(['is_active', 'failing'])
    .execute();
}

/** The highest use of each quota by anybody; leaves out quotas that nobody has used. */
export async function mostUsed(
  db: Db,
  quotas: readonly Readonly<{ bucket: string; start: number }>[],
): Promise<ReadonlyMap<string, number>> {
  if (quotas.length === 0) return new Map();
  // The name of a bucket ends with a space and who shares it; `!` is the character after the space.
  const ranges = quotas.map(
    ({ bucket, start }) => sql`select ${sql.lit(bucket)} as bucket, max(used) as used from quotas
      where bucket >= ${`${bucket} `} and bucket < ${`${bucket}!`} and window_start = ${start}`,
  );
  const { rows } = await sql<{ bucket: string; used: number | null }>`${sql.join(ranges, sql` union all `)}`.execute(
    db,
  );
  return new Map(rows.flatMap(({ bucket, used }) => (used === null ? [] : [[bucket, used] as const])));
}

export async function sizesOf(db: Db, dialect: Dialect): Promise<Readonly<{ store: number; media: number }>> {
  const size =
    dialect === 'postgres'
      ? sql`pg_database_size(current_database())`
      : sql`(select page_count from pragma_page_count) * (select page_size from pragma_page_size)`;
  const { rows } = await sql<{ store: number; media: number | null }>`
    select ${size} as store, (select sum(storage_bytes) from workspaces) as media`.execute(db);
  const { store = 0, media } = rows[0] ?? {};
  return { store: store, media: media ?? 0 };
}
