import { sql, type SqlBool } from 'kysely';
import { moveCounts, type AttemptRow, type DeliveryRow } from './deliveries.ts';
import { claim, type Dialect } from './dialect.ts';
import { sendingEndpoints, type Target } from './endpoints.ts';
import { NEVER, type DeliveryStatus } from './schema.ts';
import type { Db } from './tx.ts';

// Written out, not bound: a partial index serves only queries that name its condition.
const pending = sql<SqlBool>`deliveries.status = 'pending'`;

export type DueEndpoint = Readonly<{
  id: string;
  slots: number;
  failing: 0 | 1;
  /** Active, not removed, and its workspace is not past due. */
  open: 0 | 1;
  /** Off or removed: what is pending will not be sent. */
  off: 0 | 1;
  /** When the first of its deliveries is due. */
  run_at: number;
}>;

/** Every endpoint with pending deliveries, found by skipping from one to the next in the due index (rulings 4.6). */
export async function dueEndpoints(db: Db): Promise<DueEndpoint[]> {
  const { rows } = await sql<DueEndpoint>`
    with recursive walk(id) as (
      select min(endpoint_id) from deliveries where status = 'pending'
      union all
      select (select min(d.endpoint_id) from deliveries d where d.status = 'pending' and d.endpoint_id > walk.id)
      from walk where walk.id is not null
    )
    select e.id, e.slots, e.failing,
      case when e.is_active = 1 and e.removed_at is null and w.blocked_at is null then 1 else 0 end as open,
      case when e.is_active = 0 or e.removed_at is not null then 1 else 0 end as off,
      (select min(d.run_at) from deliveries d where d.status = 'pending' and d.endpoint_id = e.id) as run_at
    from walk join endpoints e on e.id = walk.id join workspaces w on w.id = e.workspace_id
    order by e.id`.execute(db);
  return rows;
}

export type ClaimRequest = Readonly<{
  /** How many deliveries each endpoint may have. */
  shares: ReadonlyMap<string, number>;
  /** How many endpoints are looked at, and about how many deliveries are taken: the writer must not be held for long. */
  most: number;
  now: number;
  leaseUntil: number;
  token: string;
  /** Deliveries this process is still busy with, by endpoint: never claimed again, however long they take. */
  busy: ReadonlyMap<string, ReadonlySet<string>>;
}>;

export type Claimed = Readonly<{
  id: string;
  event_id: string | null;
  event_type: string;
  /** Undefined when the event is no longer kept. */
  body: string | undefined;
  attempt_count: number;
  interrupted: number;
  created_at: number;
  token: string;
  endpoint: Target;
}>;

export type Claim = Readonly<{
  claimed: readonly Claimed[];
  /** Shares of the endpoints that were not looked at. */
  left: ReadonlyMap<string, number>;
}>;

/** Takes due deliveries for sending; whoever dies with them loses them when the lease ends. */
export async function claimDeliveries(db: Db, dialect: Dialect, request: ClaimRequest): Promise<Claim> {
  const { shares, most, now, leaseUntil, token, busy } = request;
  const targets = await sendingEndpoints(db, [...shares.keys()].slice(0, most));
  const left = new Map(shares);
  const taken: (Omit<Claimed, 'body' | 'token'> & { body: string | null })[] = [];
  for (const id of [...shares.keys()].slice(0, most)) {
    if (taken.length >= most) break;
    left.delete(id);
    const endpoint = targets.get(id);
    if (!endpoint) continue;
    const held = busy.get(id) ?? new Set();
    const share = shares.get(id)!;
    const query = db
      .selectFrom('deliveries')
      .select(['id', 'event_id', 'event_type', 'body', 'attempt_count', 'interrupted', 'lease_token', 'created_at'])
      .where('endpoint_id', '=', endpoint.id)
      .where(pending)
      .where('run_at', '<=', now)
      .orderBy('run_at')
      .orderBy('id')
      .limit(share + held.size);
    const rows = (await claim(dialect, query).execute()).filter((row) => !held.has(row.id)).slice(0, share);
    for (const { lease_token, interrupted, ...row } of rows) {
      taken.push({ ...row, interrupted: interrupted + (lease_token === null ? 0 : 1), endpoint });
    }
  }
  if (taken.length === 0) return { claimed: [], left };
  await db
    .updateTable('deliveries')
    .set({
      run_at: leaseUntil,
      lease_token: token,
      interrupted: sql<number>`case when lease_token is null then interrupted else interrupted + 1 end`,
    })
    .where('id', 'in', taken.map((row) => row.id).sort())
    .execute();
  const bodies = await bodiesOf(
    db,
    taken.map((row) => row.event_id),
  );
  return { claimed: taken.map((row) => ({ ...row, token, body: row.body ?? bodies.get(row.event_id) })), left };
}

async function bodiesOf(db: Db, ids: readonly (string | null)[]): Promise<ReadonlyMap<string | null, string>> {
  const known = [...new Set(ids.filter((id) => id !== null))];
  if (known.length === 0) return new Map();
  const rows = await db.selectFrom('events').select(['id', 'body']).where('id', 'in', known).execute();
  return new Map(rows.map((row) => [row.id, row.body]));
}

export type Result = Readonly<{
  delivery: Pick<DeliveryRow, 'id' | 'event_type' | 'created_at'> & { endpoint_id: string; token: string };
  attempt: Omit<AttemptRow, 'delivery_id'>;
  status: DeliveryStatus;
  /** Of the next attempt; meaningless once final. */
  run_at: number;
}>;

/** Writes down how attempts ended. Those whose lease was lost, or that are final already, are passed over. */
export async function recordResults(db: Db, results: readonly Result[]): Promise<Result[]> {
  const recorded: Result[] = [];
  for (const result of results.toSorted((a, b) => (a.delivery.id < b.delivery.id ? -1 : 1))) {
    const { delivery, attempt, status } = result;
    const { numUpdatedRows } = await db
      .updateTable('deliveries')
      .set({
        status,
        run_at: status === 'pending' ? result.run_at : NEVER,
        attempt_count: attempt.attempt_number,
        lease_token: null,
        interrupted: 0,
        error_message: attempt.error_message,
        response_status_code: attempt.status_code,
        response_duration_ms: attempt.duration_ms,
      })
      .where('id', '=', delivery.id)
      .where('status', '=', 'pending')
      .where('lease_token', '=', delivery.token)
      .executeTakeFirst();
    if (numUpdatedRows > 0n) recorded.push(result);
  }
  if (recorded.length === 0) return recorded;
  const attempts = recorded.map(({ delivery, attempt }) => ({ ...attempt, delivery_id: delivery.id }));
  await db.insertInto('delivery_attempts').values(attempts).execute();
  await moveCounts(
    db,
    recorded.flatMap(({ delivery, status }) => (status === 'pending' ? [] : [{ ...delivery, status, n: 1 }])),
  );
  return recorded;
}

/**
 * Fails up to `limit` pending deliveries of an endpoint that is off and answers how many there were. A test send under
 * way goes on: tests do not ask whether an endpoint is on.
 */
export async function failPending(
  db: Db,
  endpointId: string,
  reason: string,
  now: number,
  limit: number,
): Promise<number> {
  const failed = await db
    .updateTable('deliveries')
    .set({ status: 'failed', run_at: NEVER, lease_token: null, interrupted: 0, error_message: reason })
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('deliveries')
        .select('id')
        .where('endpoint_id', '=', endpointId)
        .where(pending)
        .where((test) => test.or([test('event_id', 'is not', null), test('run_at', '<=', now)]))
        .orderBy('run_at')
        .limit(limit),
    )
    .where('status', '=', 'pending')
    .returning(['event_type', 'created_at'])
    .execute();
  await moveCounts(
    db,
    failed.map((row) => ({ ...row, endpoint_id: endpointId, status: 'failed', n: 1 })),
  );
  return failed.length;
}
