import type { Authority } from '#kernel/authority.ts';
import type { ErrorCode } from '#kernel/errors.ts';
import type { ActionState, NewRow, Row, RowPatch } from '../schema/database.ts';
import { versionOf } from '../posts/posts.ts';
import { hasOnly } from '../store/dialect.ts';
import type { Db, Queryable } from '../store/tx.ts';

export type ActionRow = Row<'actions'>;

/** Who reads actions; `decides` is whether it is a key that may decide on those of others. */
export type ActionReader = Readonly<{ authority: Authority; decides: boolean; connection: string }>;

/** The most actions that a list shows. */
const LISTED = 200;

export async function insertAction(db: Db, row: NewRow<'actions'>): Promise<void> {
  await db.insertInto('actions').values(row).execute();
}

export function loadAction(db: Db, id: string): Promise<ActionRow | undefined> {
  return db.selectFrom('actions').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The action of an equal call, if it is open, or was created after `since` and is done. */
export function repeatedAction(
  db: Db,
  { connection, digest, since }: Readonly<{ connection: string; digest: string; since: number }>,
): Promise<ActionRow | undefined> {
  return db
    .selectFrom('actions')
    .selectAll()
    .where('connection_id', '=', connection)
    .where('digest', '=', digest)
    .where(({ or, eb, and }) =>
      or([eb('open_key', 'is not', null), and([eb('state', '=', 'done'), eb('created_at', '>', since)])]),
    )
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Whether an equal call has an open action, or one that was started after `since` and failed. */
export async function isAsked(
  db: Db,
  { connection, digest, since }: Readonly<{ connection: string; digest: string; since: number }>,
): Promise<boolean> {
  const row = await db
    .selectFrom('actions')
    .select('id')
    .where('connection_id', '=', connection)
    .where('digest', '=', digest)
    .where(({ or, eb, and }) =>
      or([eb('open_key', 'is not', null), and([eb('state', '=', 'failed'), eb('started_at', '>', since)])]),
    )
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether an answer to this item waits for approval or is being sent. */
export async function isItemAsked(db: Db, connection: string, item: string): Promise<boolean> {
  const row = await db
    .selectFrom('actions')
    .select('id')
    .where('connection_id', '=', connection)
    .where('item', '=', item)
    .where('open_key', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Actions of a workspace that would publish or schedule posts and are not finished, other than calls of a tool. */
export function openPostActions(
  db: Db,
  { workspace }: Authority,
  except: string,
): Promise<Pick<ActionRow, 'id' | 'sealed'>[]> {
  return db
    .selectFrom('actions')
    .select(['id', 'sealed'])
    .where('workspace_id', '=', workspace)
    .where('act', '=', 'post')
    .where('tool', '<>', except)
    .where('open_key', 'is not', null)
    .execute();
}

/** Finished actions for which media are still stored. */
export function actionsWithFiles(db: Db, limit: number): Promise<ActionRow[]> {
  return db
    .selectFrom('actions')
    .selectAll()
    .where('file_ids', 'is not', null)
    .where('finished_at', 'is not', null)
    .orderBy('finished_at')
    .limit(limit)
    .execute();
}

/** Clears which media belong to the actions. */
export async function forgetFiles(db: Db, ids: readonly string[]): Promise<void> {
  await db.updateTable('actions').set({ file_ids: null }).where('id', 'in', ids).execute();
}

/** People see all actions of their workspace, deciding keys those within their brands, a connection its own. */
function seenActions({ db, dialect }: Queryable, { authority, decides, connection }: ActionReader) {
  const { workspace, dashboard, brands } = authority;
  const query = db.selectFrom('actions').selectAll().where('workspace_id', '=', workspace);
  if (dashboard || (decides && brands === undefined)) return query;
  return query.where(({ eb, or }) => {
    const own = eb('connection_id', '=', connection);
    return decides ? or([own, hasOnly(dialect, 'brand_ids', brands!)]) : own;
  });
}

export function seenAction(reading: Queryable, reader: ActionReader, id: string): Promise<ActionRow | undefined> {
  return seenActions(reading, reader).where('id', '=', id).executeTakeFirst();
}

/** The latest actions that a reader sees. */
export function listActions(
  reading: Queryable,
  reader: ActionReader,
  state: ActionState | undefined,
): Promise<ActionRow[]> {
  let query = seenActions(reading, reader);
  if (state !== undefined) query = query.where('state', '=', state);
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(LISTED).execute();
}

/** Changes an action that is in the state `from`; false if it is in another one. */
export async function moveAction(db: Db, id: string, from: ActionState, patch: RowPatch<'actions'>): Promise<boolean> {
  const result = await db
    .updateTable('actions')
    .set(patch)
    .where('id', '=', id)
    .where('state', '=', from)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Whether an action of the connection is approved or running. */
export async function isDoing(db: Db, connectionId: string): Promise<boolean> {
  const row = await db
    .selectFrom('actions')
    .select('id')
    .where('connection_id', '=', connectionId)
    .where('state', 'in', ['approved', 'running'])
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Withdraws the actions of connections that nobody has decided on. */
export async function withdrawActions(db: Db, connectionIds: readonly string[], now: number): Promise<void> {
  await db
    .updateTable('actions')
    .set({ state: 'withdrawn', open_key: null, finished_at: now })
    .where('connection_id', 'in', connectionIds)
    .where('state', '=', 'held')
    .execute();
}

/** Fails all actions that are approved or running. */
export async function failActions(db: Db, now: number, code: ErrorCode): Promise<void> {
  await db
    .updateTable('actions')
    .set({ state: 'failed', open_key: null, finished_at: now, error_code: code })
    .where('state', 'in', ['approved', 'running'])
    .execute();
}

/** How many actions of each connection wait for approval. */
export async function countHeld(db: Db, { workspace }: Authority): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('actions')
    .select(({ fn }) => ['connection_id', fn.countAll<number | string>().as('n')])
    .where('workspace_id', '=', workspace)
    .where('state', '=', 'held')
    .groupBy('connection_id')
    .execute();
  return new Map(rows.map(({ connection_id, n }) => [connection_id, Number(n)]));
}

/** How many actions of one connection wait for approval. */
export async function countHeldOf(db: Db, connectionId: string): Promise<number> {
  const { n } = await db
    .selectFrom('actions')
    .select(({ fn }) => fn.countAll<number | string>().as('n'))
    .where('connection_id', '=', connectionId)
    .where('state', '=', 'held')
    .executeTakeFirstOrThrow();
  return Number(n);
}

/** The versions of posts, which show later whether a post has changed. */
export async function postVersions(
  db: Db,
  { workspace }: Authority,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('posts')
    .select(['id', 'version', 'updated_at'])
    .where('workspace_id', '=', workspace)
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map((row) => [row.id, versionOf(row)]));
}

/** Deletes up to `limit` actions created before `before`; returns how many. */
export async function sweepActions(db: Db, before: number, limit: number): Promise<number> {
  const old = db.selectFrom('actions').select('id').where('created_at', '<', before).limit(limit);
  return Number((await db.deleteFrom('actions').where('id', 'in', old).executeTakeFirst()).numDeletedRows);
}
