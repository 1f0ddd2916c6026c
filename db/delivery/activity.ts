import { sql, type SelectQueryBuilder } from 'kysely';
import type { PageSpan } from '#kernel/pagination.ts';
import type { Database, LogCategory, Row } from '../schema/database.ts';
import { beyond } from '../store/keyset.ts';
import { isSettled, type Dialect } from '../store/dialect.ts';
import type { Db } from '../store/tx.ts';
import type { Authority } from '#kernel/authority.ts';

export type LogRow = Row<'log'>;
type LogStatus = LogRow['status'];

export const LOG_CATEGORIES = Object.freeze(['post', 'webhook', 'inbox', 'api', 'account'] as const);
export const LOG_STATUSES = Object.freeze(['success', 'failed', 'pending', 'skipped'] as const);

export type LogFilter = Readonly<{
  categories?: readonly LogCategory[] | undefined;
  status?: LogStatus | undefined;
  platform?: string | undefined;
  accountId?: string | undefined;
  resourceId?: string | undefined;
  action?: string | undefined;
  /** Both ends are inclusive. */
  since: number;
  until?: number | undefined;
}>;

/** How far a reader has read, in commit order. */
export type ActivityPosition = Readonly<{ position: number; id: string }>;

/** The position before the first entry. */
export const BEGINNING: ActivityPosition = Object.freeze({ position: -1, id: '' });

/** The topic that a commit signals when it adds entries to a workspace's log. */
export const logTopic = (workspaceId: string) => `log ${workspaceId}` as const;

type Query = SelectQueryBuilder<Database, 'log', LogRow>;

/** A page of visible entries, newest first, plus one if there are more. */
export function listLog(db: Db, authority: Authority, filter: LogFilter, page: PageSpan): Promise<LogRow[]> {
  const newest = (query: Query) =>
    query
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(page.limit + 1);
  const { categories, status, accountId, resourceId } = filter;
  const narrow = accountId !== undefined || resourceId !== undefined;
  let matching = db.selectFrom('log').selectAll().where('workspace_id', '=', authority.workspace);
  matching = matching.where('created_at', '>=', filter.since);
  if (filter.until !== undefined) matching = matching.where('created_at', '<=', filter.until);
  if (filter.platform !== undefined) matching = matching.where('platform', '=', filter.platform);
  if (filter.action !== undefined) matching = matching.where('action', '=', filter.action);
  if (accountId !== undefined) matching = matching.where('account_id', '=', accountId);
  if (resourceId !== undefined) matching = matching.where('resource_id', '=', resourceId);
  const { from } = page;
  if (from) {
    matching = matching.where(beyond(['created_at', 'id'], '<', from));
  }
  if (narrow || (categories === undefined && status === undefined)) {
    if (categories !== undefined) matching = matching.where('category', 'in', categories);
    if (status !== undefined) matching = matching.where('status', '=', status);
    return newest(matching).execute();
  }
  // Read one index range per category and status, so that rare entries are found quickly too.
  const branches = (categories ?? LOG_CATEGORIES).flatMap((category) =>
    (status === undefined ? LOG_STATUSES : [status]).map((one) => {
      const branch = newest(matching.where('category', '=', category).where('status', '=', one));
      return db.selectFrom(branch.as('branch')).selectAll('branch');
    }),
  );
  const [first, ...rest] = branches;
  const all = rest.reduce((union, branch) => union.unionAll(branch), first!);
  return all
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit + 1)
    .execute();
}

export type LogCount = Pick<LogRow, 'category' | 'status'> & Readonly<{ n: number }>;
type Span = Readonly<{ since: number; until: number }>;

const within = (db: Db, authority: Authority, { since, until }: Span) =>
  db
    .selectFrom('log')
    .where('workspace_id', '=', authority.workspace)
    .where('created_at', '>=', since)
    .where('created_at', '<=', until);

/** Counts entries per category and status by separate index ranges, ten times faster than grouping them. */
export function countLog(db: Db, authority: Authority, span: Span): Promise<LogCount[]> {
  const counts = LOG_CATEGORIES.flatMap((category) =>
    LOG_STATUSES.map((status) =>
      within(db, authority, span)
        .where('category', '=', category)
        .where('status', '=', status)
        .select([sql.lit(category).as('category'), sql.lit(status).as('status')])
        .select((eb) => eb.fn.countAll<number>().as('n')),
    ),
  );
  const [first, ...rest] = counts;
  return rest.reduce((union, count) => union.unionAll(count), first!).execute();
}

export function countInboxKinds<K extends string>(
  db: Db,
  authority: Authority,
  span: Span,
  kinds: readonly K[],
): Promise<Record<K, number>> {
  return within(db, authority, span)
    .where('category', '=', 'inbox')
    .where('status', 'in', LOG_STATUSES)
    .select(({ fn }) => kinds.map((kind) => fn.countAll<number>().filterWhere('kind', '=', kind).as(kind)))
    .executeTakeFirstOrThrow() as Promise<Record<K, number>>;
}

export function countLogErrors(
  db: Db,
  authority: Authority,
  span: Span,
): Promise<{ error_category: string | null; n: number }[]> {
  return within(db, authority, span)
    .where('error_category', 'is not', null)
    .select('error_category')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .groupBy('error_category')
    .orderBy('error_category')
    .execute();
}

/** Unlike in other spans, the end is exclusive. */
export async function countLogBefore(db: Db, authority: Authority, since: number, until: number): Promise<number> {
  const { n } = await db
    .selectFrom('log')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('workspace_id', '=', authority.workspace)
    .where('created_at', '>=', since)
    .where('created_at', '<', until)
    .executeTakeFirstOrThrow();
  return n;
}

/** The next settled entries after a position, oldest first. */
export function logAfter(
  db: Db,
  dialect: Dialect,
  authority: Authority,
  place: ActivityPosition,
  page: Readonly<{ since: number; limit: number }>,
): Promise<LogRow[]> {
  return db
    .selectFrom('log')
    .selectAll()
    .where('workspace_id', '=', authority.workspace)
    .where(beyond(['position', 'id'], '>', { at: place.position, id: place.id }))
    .where(isSettled(dialect))
    .where('created_at', '>=', page.since)
    .orderBy('position')
    .orderBy('id')
    .limit(page.limit)
    .execute();
}

/** The position of an entry that is still kept, and whether it is settled. */
export async function positionOfEntry(
  db: Db,
  dialect: Dialect,
  authority: Authority,
  id: string,
  since: number,
): Promise<(ActivityPosition & Readonly<{ settled: boolean }>) | undefined> {
  const row = await db
    .selectFrom('log')
    .select(['position', 'id', isSettled(dialect).as('settled')])
    .where('workspace_id', '=', authority.workspace)
    .where('id', '=', id)
    .where('created_at', '>=', since)
    .executeTakeFirst();
  return row && { ...row, settled: Boolean(row.settled) };
}

export async function lastPosition(db: Db, dialect: Dialect, authority: Authority): Promise<ActivityPosition> {
  const row = await db
    .selectFrom('log')
    .select(['position', 'id'])
    .where('workspace_id', '=', authority.workspace)
    .where(isSettled(dialect))
    .orderBy('position', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ?? BEGINNING;
}

/** The last position in each workspace, with one index lookup each. */
export async function newestPositions(db: Db, workspaceIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('workspaces')
    .select('id')
    .select((eb) =>
      eb
        .selectFrom('log')
        .whereRef('log.workspace_id', '=', 'workspaces.id')
        .select(({ fn }) => fn.max('position').as('newest'))
        .as('newest'),
    )
    .where('id', 'in', workspaceIds)
    .execute();
  return new Map(rows.flatMap(({ id, newest }) => (newest === null ? [] : [[id, newest] as const])));
}

/** Positions in a restored dump may be above all transaction numbers of this server; then entries are ordered by id. */
export async function mendPositions(db: Db, dialect: Dialect): Promise<boolean> {
  if (dialect === 'sqlite') return false;
  const ahead = await db
    .selectFrom('workspaces')
    .select('id')
    .where(({ eb, selectFrom }) =>
      eb(
        selectFrom('log')
          .whereRef('log.workspace_id', '=', 'workspaces.id')
          .select(({ fn }) => fn.max('position').as('newest')),
        '>=',
        sql<number>`pg_snapshot_xmax(pg_current_snapshot())::text::bigint`,
      ),
    )
    .limit(1)
    .executeTakeFirst();
  if (!ahead) return false;
  await db.updateTable('log').set({ position: 0 }).where('position', '>', 0).execute();
  return true;
}
