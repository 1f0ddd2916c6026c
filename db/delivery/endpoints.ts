import { sql } from 'kysely';
import type { PageSpan } from '#kernel/pagination.ts';
import { beyond } from '../store/keyset.ts';
import type { Dialect } from '../store/dialect.ts';
import { statement } from '../store/statement.ts';
import type { Db } from '../store/tx.ts';
import type { Authority } from '#kernel/authority.ts';
import type { NewRow, Row, RowPatch } from '../schema/database.ts';

export type EndpointRow = Row<'endpoints'> & { events: readonly string[] };

function visible(db: Db, authority: Authority) {
  return db.selectFrom('endpoints').where('workspace_id', '=', authority.workspace).where('removed_at', 'is', null);
}

async function withEvents(db: Db, rows: readonly Row<'endpoints'>[]): Promise<EndpointRow[]> {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  const subscriptions = await db
    .selectFrom('endpoint_events')
    .select(['endpoint_id', 'event'])
    .where('endpoint_id', 'in', ids)
    .orderBy('position')
    .execute();
  const events = Map.groupBy(subscriptions, (row) => row.endpoint_id);
  return rows.map((row) => ({ ...row, events: events.get(row.id)?.map(({ event }) => event) ?? [] }));
}

export async function listEndpoints(db: Db, authority: Authority, { limit, from }: PageSpan): Promise<EndpointRow[]> {
  let query = visible(db, authority).selectAll().orderBy('created_at', 'desc').orderBy('id', 'desc');
  if (from) {
    query = query.where(beyond(['created_at', 'id'], '<', from));
  }
  return withEvents(db, await query.limit(limit + 1).execute());
}

export async function countEndpoints(db: Db, authority: Authority): Promise<number> {
  const { n } = await visible(db, authority)
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow();
  return n;
}

export async function findEndpoint(db: Db, authority: Authority, id: string): Promise<EndpointRow | undefined> {
  const rows = await visible(db, authority).selectAll().where('id', '=', id).execute();
  return (await withEvents(db, rows))[0];
}

export async function insertEndpoint(db: Db, row: NewRow<'endpoints'>, events: readonly string[]): Promise<void> {
  await db.insertInto('endpoints').values(row).execute();
  await subscribe(db, row, events);
}

/** `events` replaces the subscriptions. False if there is no such endpoint, or the caller cannot see it. */
export async function updateEndpoint(
  db: Db,
  authority: Authority,
  id: string,
  patch: RowPatch<'endpoints'>,
  events?: readonly string[],
): Promise<boolean> {
  const result = await db
    .updateTable('endpoints')
    .set(patch)
    .where('workspace_id', '=', authority.workspace)
    .where('id', '=', id)
    .where('removed_at', 'is', null)
    .executeTakeFirst();
  if (result.numUpdatedRows === 0n) return false;
  if (events) {
    await db.deleteFrom('endpoint_events').where('endpoint_id', '=', id).execute();
    await subscribe(db, { id, workspace_id: authority.workspace }, events);
  }
  return true;
}

async function subscribe(
  db: Db,
  { id, workspace_id }: Readonly<{ id: string; workspace_id: string }>,
  events: readonly string[],
): Promise<void> {
  const rows = events.map((event, position) => ({ endpoint_id: id, event, workspace_id, position }));
  await db.insertInto('endpoint_events').values(rows).execute();
}

/** Active endpoints that subscribe to an event; none while the workspace is blocked. */
export async function subscribedEndpoints(db: Db, workspaceId: string, event: string): Promise<string[]> {
  const { rows } = await subscribed(db, { workspaceId, event });
  return rows.map((row) => row.endpoint_id);
}

const subscribed = statement((db, slot: { workspaceId: string; event: string }) =>
  db
    .selectFrom('endpoint_events')
    .innerJoin('endpoints', 'endpoints.id', 'endpoint_events.endpoint_id')
    .innerJoin('workspaces', 'workspaces.id', 'endpoint_events.workspace_id')
    .select('endpoint_events.endpoint_id')
    .where('endpoint_events.workspace_id', '=', slot.workspaceId)
    .where('endpoint_events.event', '=', slot.event)
    .where('endpoints.is_active', '=', 1)
    .where('endpoints.removed_at', 'is', null)
    .where('workspaces.blocked_at', 'is', null)
    .orderBy('endpoint_events.endpoint_id'),
);

/** Endpoints whose URL may contain credentials that are not encrypted yet. */
export function addressesToSeal(db: Db): Promise<Readonly<{ id: string; url: string }>[]> {
  return db
    .selectFrom('endpoints')
    .select(['id', 'url'])
    .where('credentials', 'is', null)
    .where('url', 'like', '%@%')
    .execute();
}

/** Replaces a URL with credentials, unless it has changed since it was read. */
export async function sealAddress(
  db: Db,
  dialect: Dialect,
  { id, url }: Readonly<{ id: string; url: string }>,
  patch: Readonly<{ url: string; credentials: string }>,
): Promise<void> {
  // Without this, the old text could still be read in the file.
  if (dialect === 'sqlite') await sql`pragma secure_delete = on`.execute(db);
  await db.updateTable('endpoints').set(patch).where('id', '=', id).where('url', '=', url).execute();
}

export type Target = Readonly<{
  id: string;
  workspace_id: string;
  url: string;
  credentials: string | null;
  secret: string;
}>;

/** The endpoints to send to, by id. Leaves out deactivated and removed ones. */
export async function sendingEndpoints(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, Target>> {
  const rows = await db
    .selectFrom('endpoints')
    .select(['id', 'workspace_id', 'url', 'credentials', 'secret'])
    .where('id', 'in', ids)
    .where('is_active', '=', 1)
    .where('removed_at', 'is', null)
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Stores how many deliveries an endpoint can take at once, as its last attempts showed. */
export async function saveEndpointPace(db: Db, id: string, slots: number, failing: boolean): Promise<void> {
  await db
    .updateTable('endpoints')
    .set({ slots, failing: failing ? 1 : 0 })
    .where('id', '=', id)
    .execute();
}
