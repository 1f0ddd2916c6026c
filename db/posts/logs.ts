import type { PageSpan } from '#kernel/pagination.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import { livingBrands } from '../access/brands.ts';
import { beyond } from '../store/keyset.ts';
import { byDialect, nextPosition, type Dialect } from '../store/dialect.ts';
import { hasChanged, statement, writing } from '../store/statement.ts';
import type { Db, LogEntry } from '../store/tx.ts';
import type { Authority } from '#kernel/authority.ts';
import type { NewRow, Row } from '../schema/database.ts';

export type PublishLogRow = Row<'publish_log'>;

export type PublishLogFilter = Readonly<{
  status?: PublishLogRow['status'] | undefined;
  action?: PublishLogRow['action'] | undefined;
  platform?: PlatformSlug | undefined;
  postId?: string | undefined;
  accountId?: string | undefined;
  since: number;
}>;

export async function insertPublishLog(db: Db, row: NewRow<'publish_log'>): Promise<void> {
  await insertingTry(db, row);
}

const insertingTry = writing((db, row: NewRow<'publish_log'>) => db.insertInto('publish_log').values(row));

export function listPublishLog(
  db: Db,
  authority: Authority,
  filter: PublishLogFilter,
  page: PageSpan,
): Promise<PublishLogRow[]> {
  let query = db
    .selectFrom('publish_log')
    .selectAll()
    .where('workspace_id', '=', authority.workspace)
    .where('created_at', '>=', filter.since);
  if (authority.brands) query = query.where('brand_id', 'in', livingBrands(db, authority.brands));
  if (filter.status) query = query.where('status', '=', filter.status);
  if (filter.action) query = query.where('action', '=', filter.action);
  if (filter.platform) query = query.where('platform', '=', filter.platform);
  if (filter.postId) query = query.where('post_id', '=', filter.postId);
  if (filter.accountId) query = query.where('account_id', '=', filter.accountId);
  const { from } = page;
  if (from) {
    query = query.where(beyond(['created_at', 'id'], '<', from));
  }
  return query
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit + 1)
    .execute();
}

/** False if the workspace is unpaid. */
export async function insertEvent(db: Db, row: NewRow<'events'>): Promise<boolean> {
  return hasChanged(await insertingEvent(db, row));
}

const insertingEvent = statement((db, row: NewRow<'events'>) =>
  db
    .insertInto('events')
    .columns(['id', 'workspace_id', 'brand_id', 'name', 'created_at', 'body'])
    .expression((eb) =>
      eb
        .selectFrom('workspaces')
        .select([
          eb.val(row.id).as('id'),
          'workspaces.id as workspace_id',
          eb.val(row.brand_id).as('brand_id'),
          eb.val(row.name).as('name'),
          eb.val(row.created_at).as('created_at'),
          eb.val(row.body).as('body'),
        ])
        .where('id', '=', row.workspace_id)
        .where('blocked_at', 'is', null),
    ),
);

export function disconnectedEntry(account: Row<'accounts'>): LogEntry {
  return {
    workspaceId: account.workspace_id,
    category: 'account',
    action: 'disconnected',
    status: 'success',
    platform: account.platform,
    accountId: account.id,
    resourceId: account.id,
    summary: `${account.platform} @${account.username} disconnected`,
  };
}

/** Adds a log entry, at its position in commit order. */
export async function insertLog(db: Db, dialect: Dialect, row: Omit<NewRow<'log'>, 'position'>): Promise<void> {
  const { workspace_id, created_at } = row;
  await insertingLog[dialect](db, row, { workspace_id, created_at });
}

type LogSlots = Pick<NewRow<'log'>, 'workspace_id' | 'created_at'>;

const insertingLog = byDialect((dialect) =>
  writing((db, row: Omit<NewRow<'log'>, 'position'>, slot: LogSlots) =>
    db.insertInto('log').values({ ...row, position: nextPosition(dialect, slot) }),
  ),
);
