import { sql } from 'kysely';
import { statusIs } from '../store/dialect.ts';
import type { Db } from '../store/tx.ts';

export type DueEndpoint = Readonly<{
  id: string;
  slots: number;
  failing: 0 | 1;
  /** Active, not removed, and its workspace is not past due. */
  open: 0 | 1;
  /** Off or removed: what is pending will not be sent. */
  off: 0 | 1;
}>;

// The condition of the partial indexes is written out in every statement: bound, they would not serve it.

/** The endpoints of deliveries that are due, from either end of the due times; `all` when these are all there are. */
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

/**
 * Every endpoint with due deliveries, however many they are: found by skipping from one endpoint with pending ones to
 * the next, so its cost is that of all those endpoints, due or not.
 */
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

/** What the engine must know of those among the endpoints that have due deliveries, in the order of their ids. */
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

/** When the first delivery is due: one row, null where none is pending. */
export function soonestDelivery(db: Db) {
  return db
    .selectFrom('deliveries')
    .select(({ fn }) => fn.min('run_at').as('at'))
    .where(statusIs('deliveries', 'pending'));
}

/** When the next delivery becomes due that is not yet. */
export async function nextDueAt(db: Db, now: number): Promise<number | undefined> {
  const { rows } = await sql<{ at: number | null }>`
    select min(run_at) as at from deliveries where status = 'pending' and run_at > ${now}`.execute(db);
  return rows[0]?.at ?? undefined;
}
