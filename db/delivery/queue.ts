import { sql, type SqlBool } from 'kysely';
import { moveCounts, type AttemptRow, type DeliveryRow } from './deliveries.ts';
import { claim, oneOf, rowsOf, type Dialect } from '../store/dialect.ts';
import { sendingEndpoints, type Target } from './endpoints.ts';
import { NEVER, type DeliveryStatus } from '../schema/database.ts';
import type { Db } from '../store/tx.ts';

// Must be a literal, because a partial index is used only for its exact condition.
const pending = sql<SqlBool>`deliveries.status = 'pending'`;

export type ClaimRequest = Readonly<{
  /** The most deliveries to claim for each endpoint. */
  shares: ReadonlyMap<string, number>;
  /** The most endpoints, and roughly the most deliveries, so that the writer is not blocked for long. */
  most: number;
  now: number;
  leaseUntil: number;
  token: string;
  /** Deliveries in progress in this process, by endpoint. They are not claimed again, however long they take. */
  busy: ReadonlyMap<string, ReadonlySet<string>>;
}>;

export type Claimed = Readonly<{
  id: string;
  event_id: string | null;
  event_type: string;
  /** Undefined if the event has been deleted. */
  body: string | undefined;
  attempt_count: number;
  interrupted: number;
  created_at: number;
  token: string;
  endpoint: Target;
}>;

export type Claim = Readonly<{
  claimed: readonly Claimed[];
  /** The shares of endpoints that were not reached this time. */
  left: ReadonlyMap<string, number>;
}>;

/** Claims due deliveries with a lease, so that they become free again if this process dies. */
export async function claimDeliveries(db: Db, dialect: Dialect, request: ClaimRequest): Promise<Claim> {
  const { shares, most, now, leaseUntil, token, busy } = request;
  const ids = [...shares.keys()].slice(0, most);
  const targets = await sendingEndpoints(db, ids);
  const left = new Map(shares);
  const taken: (Omit<Claimed, 'body' | 'token'> & { body: string | null })[] = [];
  for (const id of ids) {
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
    .where(oneOf(dialect, 'id', taken.map((row) => row.id).sort()))
    .execute();
  const bodies = await bodiesOf(
    db,
    dialect,
    taken.map((row) => row.event_id),
  );
  return { claimed: taken.map((row) => ({ ...row, token, body: row.body ?? bodies.get(row.event_id) })), left };
}

async function bodiesOf(
  db: Db,
  dialect: Dialect,
  ids: readonly (string | null)[],
): Promise<ReadonlyMap<string | null, string>> {
  const known = [...new Set(ids.filter((id) => id !== null))];
  if (known.length === 0) return new Map();
  const rows = await db
    .selectFrom('events')
    .select(['id', 'body'])
    .where(oneOf(dialect, 'id', known))
    .execute();
  return new Map(rows.map((row) => [row.id, row.body]));
}

export type Result = Readonly<{
  delivery: Pick<DeliveryRow, 'id' | 'event_type' | 'created_at'> & { endpoint_id: string; token: string };
  attempt: Omit<AttemptRow, 'delivery_id'>;
  status: DeliveryStatus;
  /** When the next attempt is due; ignored once the status is final. */
  run_at: number;
}>;

const RESULT = Object.freeze({
  id: 'text',
  token: 'text',
  status: 'text',
  run_at: 'bigint',
  attempts: 'bigint',
  message: 'text',
  code: 'bigint',
  duration: 'bigint',
});

/** Stores results in one statement. Skips deliveries that are final or whose lease was lost. */
export async function recordResults(db: Db, dialect: Dialect, results: readonly Result[]): Promise<Result[]> {
  if (results.length === 0) return [];
  const rows = results.map(({ delivery, attempt, status, run_at }) => ({
    id: delivery.id,
    token: delivery.token,
    status,
    run_at: status === 'pending' ? run_at : NEVER,
    attempts: attempt.attempt_number,
    message: attempt.error_message,
    code: attempt.status_code,
    duration: attempt.duration_ms,
  }));
  const written = await sql<{ id: string }>`
    update deliveries set status = result.status, run_at = result.run_at, attempt_count = result.attempts,
      lease_token = null, interrupted = 0, error_message = result.message, response_status_code = result.code,
      response_duration_ms = result.duration
    from ${rowsOf(dialect, 'result', RESULT, rows)}
    where deliveries.id = result.id and deliveries.lease_token = result.token and deliveries.status = 'pending'
    returning deliveries.id as id`.execute(db);
  const ids = new Set(written.rows.map(({ id }) => id));
  const recorded = results.filter(({ delivery }) => ids.delete(delivery.id));
  if (recorded.length === 0) return recorded;
  const attempts = recorded.map(({ delivery, attempt }) => ({ ...attempt, delivery_id: delivery.id }));
  await db.insertInto('delivery_attempts').values(attempts).execute();
  await moveCounts(
    db,
    recorded.flatMap(({ delivery, status }) => (status === 'pending' ? [] : [{ ...delivery, status, n: 1 }])),
  );
  return recorded;
}

/** Fails up to `limit` pending deliveries of a deactivated endpoint, except tests being sent; returns how many. */
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
