import { DAY, dayOf } from '#kernel/clock.ts';
import type { EventName } from '#kernel/events.ts';
import type { PageSpan, Position } from '#kernel/pagination.ts';
import type { DeliveryStatus, NewRow, Row } from '../schema/database.ts';
import { beyond } from '../store/keyset.ts';
import type { Db } from '../store/tx.ts';
import type { Authority } from '#kernel/authority.ts';

export type DeliveryRow = Row<'deliveries'>;
export type AttemptRow = Row<'delivery_attempts'>;

const STATUSES = Object.freeze(['pending', 'delivered', 'failed'] as const);

export type NewDelivery = Readonly<{
  id: string;
  workspace_id: string;
  endpoint_id: string;
  event_id: string | null;
  event_type: string;
  created_at: number;
  run_at: number;
  description?: string;
  body?: string;
  lease_token?: string;
}>;

export async function insertDeliveries(db: Db, deliveries: readonly NewDelivery[]): Promise<void> {
  await moveCounts(db, await insertPending(db, deliveries));
}

async function insertPending(db: Db, deliveries: readonly NewDelivery[]): Promise<readonly CountMove[]> {
  if (deliveries.length === 0) return [];
  const rows: NewRow<'deliveries'>[] = deliveries.map((delivery) => ({
    body: null,
    description: null,
    lease_token: null,
    ...delivery,
    status: 'pending',
    attempt_count: 0,
    interrupted: 0,
    error_message: null,
    response_status_code: null,
    response_duration_ms: null,
  }));
  await db.insertInto('deliveries').values(rows).execute();
  return deliveries.map(({ endpoint_id, event_type, created_at }) => {
    return { endpoint_id, event_type, created_at, status: 'made', n: 1 };
  });
}

/** Creates deliveries to the endpoints that are subscribed to an event, in the event's transaction. */
export async function fanOut(
  db: Db,
  event: Readonly<{ id: string; workspace_id: string; name: EventName; created_at: number }>,
  endpoints: readonly string[],
  newDeliveryId: () => string,
): Promise<readonly CountMove[]> {
  const deliveries = endpoints.map((endpoint) => ({
    id: newDeliveryId(),
    workspace_id: event.workspace_id,
    endpoint_id: endpoint,
    event_id: event.id,
    event_type: event.name,
    created_at: event.created_at,
    run_at: event.created_at,
  }));
  return insertPending(db, deliveries);
}

export type CountMove = Readonly<{
  endpoint_id: string;
  event_type: string;
  /** When the delivery was created; the counters of that day change. */
  created_at: number;
  status: 'made' | 'delivered' | 'failed';
  n: number;
}>;

/** Changes counters in a fixed order, so that transactions cannot deadlock. */
export async function moveCounts(db: Db, moves: readonly CountMove[]): Promise<void> {
  const sums = new Map<string, NewRow<'delivery_counts'>>();
  for (const { endpoint_id, event_type, created_at, status, n } of moves) {
    const day = dayOf(created_at);
    const key = JSON.stringify([endpoint_id, day, event_type, status]);
    sums.set(key, { endpoint_id, day, event_type, status, n: n + (sums.get(key)?.n ?? 0) });
  }
  const rows = [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  if (rows.length === 0) return;
  await db
    .insertInto('delivery_counts')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['endpoint_id', 'day', 'event_type', 'status'])
        .doUpdateSet((eb) => ({ n: eb('delivery_counts.n', '+', eb.ref('excluded.n')) })),
    )
    .execute();
}

export type DeliveryFilter = Readonly<{ status?: DeliveryStatus | undefined; event_type?: string | undefined }>;

/** A page of deliveries, newest first, merged from one index range per status. */
export async function listDeliveries(
  db: Db,
  authority: Authority,
  endpointId: string,
  filter: DeliveryFilter,
  page: PageSpan,
): Promise<DeliveryRow[]> {
  const { from } = page;
  const parts = (filter.status ? [filter.status] : STATUSES).map((status) => {
    let query = db
      .selectFrom('deliveries')
      .selectAll()
      .where('endpoint_id', '=', endpointId)
      .where('workspace_id', '=', authority.workspace)
      .where('status', '=', status);
    if (filter.event_type !== undefined) query = query.where('event_type', '=', filter.event_type);
    if (from) {
      query = query.where(beyond(['created_at', 'id'], '<', from));
    }
    return query
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(page.limit + 1)
      .execute();
  });
  const rows = (await Promise.all(parts)).flat();
  return rows.sort((a, b) => b.created_at - a.created_at || (a.id < b.id ? 1 : -1)).slice(0, page.limit + 1);
}

function counters(db: Db, { workspace }: Authority, endpointId: string) {
  return db
    .selectFrom('delivery_counts')
    .innerJoin('endpoints', 'endpoints.id', 'delivery_counts.endpoint_id')
    .select(['delivery_counts.status', (eb) => eb.fn.sum<number | string>('delivery_counts.n').as('n')])
    .where('endpoints.workspace_id', '=', workspace)
    .where('delivery_counts.endpoint_id', '=', endpointId)
    .groupBy('delivery_counts.status');
}

/** How many deliveries match, from the counters. */
export async function countDeliveries(
  db: Db,
  authority: Authority,
  endpointId: string,
  filter: DeliveryFilter,
): Promise<number> {
  let query = counters(db, authority, endpointId);
  if (filter.event_type !== undefined) query = query.where('delivery_counts.event_type', '=', filter.event_type);
  const sums = new Map((await query.execute()).map(({ status, n }) => [status, Number(n)]));
  const of = (status: CountMove['status']) => sums.get(status) ?? 0;
  if (filter.status === undefined) return of('made');
  return filter.status === 'pending' ? of('made') - of('delivered') - of('failed') : of(filter.status);
}

/** Outcomes since a time: whole days from the counters, the rest by counting rows. */
export async function deliveryStats(
  db: Db,
  authority: Authority,
  endpointId: string,
  since: number,
): Promise<{ delivered: number; failed: number }> {
  const wholeDays = dayOf(since - 1) + DAY;
  const counted = await counters(db, authority, endpointId)
    .where('delivery_counts.day', '>=', wholeDays)
    .where('delivery_counts.status', '!=', 'made')
    .execute();
  const seen = await db
    .selectFrom('deliveries')
    .select(['status', (eb) => eb.fn.countAll<number>().as('n')])
    .where('workspace_id', '=', authority.workspace)
    .where('endpoint_id', '=', endpointId)
    .where('status', 'in', ['delivered', 'failed'])
    .where('created_at', '>=', since)
    .where('created_at', '<', wholeDays)
    .groupBy('status')
    .execute();
  const of = (status: 'delivered' | 'failed') =>
    [...counted, ...seen].reduce((sum, row) => (row.status === status ? sum + Number(row.n) : sum), 0);
  return { delivered: of('delivered'), failed: of('failed') };
}

export type DeliveryDetailRow = DeliveryRow & { event_body: string | null };

export function findDelivery(
  db: Db,
  authority: Authority,
  endpointId: string,
  id: string,
): Promise<DeliveryDetailRow | undefined> {
  return db
    .selectFrom('deliveries')
    .leftJoin('events', 'events.id', 'deliveries.event_id')
    .selectAll('deliveries')
    .select('events.body as event_body')
    .where('deliveries.workspace_id', '=', authority.workspace)
    .where('deliveries.endpoint_id', '=', endpointId)
    .where('deliveries.id', '=', id)
    .executeTakeFirst();
}

export function attemptsOf(db: Db, authority: Authority, deliveryId: string): Promise<AttemptRow[]> {
  return db
    .selectFrom('delivery_attempts')
    .innerJoin('deliveries', 'deliveries.id', 'delivery_attempts.delivery_id')
    .selectAll('delivery_attempts')
    .where('deliveries.workspace_id', '=', authority.workspace)
    .where('delivery_attempts.delivery_id', '=', deliveryId)
    .orderBy('delivery_attempts.attempt_number')
    .orderBy('delivery_attempts.id')
    .execute();
}

export type ReplayFilter = Readonly<{ since: number; until: number; names: readonly string[] }>;

/** Recorded events of a period, oldest first, one page at a time. */
export function eventsToReplay(
  db: Db,
  authority: Authority,
  filter: ReplayFilter,
  page: Readonly<{ limit: number; after: Position | undefined }>,
): Promise<Pick<Row<'events'>, 'id' | 'name' | 'created_at'>[]> {
  const { after } = page;
  let query = db
    .selectFrom('events')
    .select(['id', 'name', 'created_at'])
    .where('workspace_id', '=', authority.workspace)
    .where('created_at', '>=', filter.since)
    .where('created_at', '<=', filter.until)
    .where('name', 'in', filter.names as readonly EventName[]);
  if (after) {
    query = query.where(beyond(['created_at', 'id'], '>', after));
  }
  return query.orderBy('created_at').orderBy('id').limit(page.limit).execute();
}
