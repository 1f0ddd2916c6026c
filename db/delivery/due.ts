import { sql } from 'kysely';
import { statusIs } from '../store/dialect.ts';
import type { Db } from '../store/tx.ts';

export type DueEndpoint = Readonly<{
  id: string;
  slots: number;
  failing: 0 | 1;
  /** 1 if the endpoint is active and not removed, and its workspace is not blocked. */
  open: 0 | 1;
  /** 1 if the endpoint was deactivated or removed, so its pending deliveries will not be sent. */
  off: 0 | 1;
}>;

// A partial index is used only if its condition is a literal in the query, not a parameter.

/** Endpoints of the oldest or newest due deliveries; `all` if no due deliveries are left out. */
export async function endpointsOfDue(
  db: Db,
  { end, now, limit }: Readonly<{ end: 'oldest' | 'newest'; now: number; limit: number }>,
): Promise<Readonly<{ ids: readonly string[]; all: boolean }>> {
  const order = sql.raw(end === 'oldest' ? 'asc' : 'desc');
  const { rows } = await sql<{ id: string; n: number }>`
    select due.endpoint_id as id, count(*) as n from (
      select endpoint_id from deliveries where status = 'pending' and run_at <= ${now}
      order by run_at ${order}, endpoint_id ${order} limit ${limit}
    ) due group by due.endpoint_id`.execute(db);
  return { ids: rows.map(({ id }) => id), all: rows.reduce((sum, { n }) => sum + n, 0) < limit };
}

/** Finds every endpoint with due deliveries, skipping in the index from one endpoint to the next. */
export async function scanDue(db: Db, now: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with recursive walk(id) as (
      select min(endpoint_id) from deliveries where status = 'pending'
      union all
      select (select min(d.endpoint_id) from deliveries d where d.status = 'pending' and d.endpoint_id > walk.id)
      from walk where walk.id is not null
    )
    select id from walk where id is not null and
      (select min(d.run_at) from deliveries d where d.status = 'pending' and d.endpoint_id = walk.id) <= ${now}`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}

/** Details of those endpoints that have due deliveries, sorted by id. */
export async function dueAmong(db: Db, ids: readonly string[], now: number): Promise<DueEndpoint[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<DueEndpoint>`
    select e.id, e.slots, e.failing,
      case when e.is_active = 1 and e.removed_at is null and w.blocked_at is null then 1 else 0 end as open,
      case when e.is_active = 0 or e.removed_at is not null then 1 else 0 end as off
    from endpoints e join workspaces w on w.id = e.workspace_id
    where e.id in (${sql.join(ids)}) and exists
      (select 1 from deliveries d where d.status = 'pending' and d.endpoint_id = e.id and d.run_at <= ${now})
    order by e.id`.execute(db);
  return rows;
}

/** Returns one row, whose time is null if no delivery is pending. */
export function soonestDelivery(db: Db) {
  return db
    .selectFrom('deliveries')
    .select(({ fn }) => fn.min('run_at').as('at'))
    .where(statusIs('deliveries', 'pending'));
}

export async function nextDueAt(db: Db, now: number): Promise<number | undefined> {
  const { rows } = await sql<{ at: number | null }>`
    select min(run_at) as at from deliveries where status = 'pending' and run_at > ${now}`.execute(db);
  return rows[0]?.at ?? undefined;
}
