import type { NotificationKind } from '#kernel/people/notifications.ts';
import type { NewRow, Row } from '../schema/database.ts';
import type { Db } from '../store/tx.ts';

export type NotificationRow = Row<'mail_notifications'>;

export async function insertNotification(db: Db, row: NewRow<'mail_notifications'>): Promise<void> {
  await db.insertInto('mail_notifications').values(row).execute();
}

/** The oldest notifications that the people of a workspace have not been told of. */
export function listNotifications(db: Db, workspaceId: string, limit: number): Promise<NotificationRow[]> {
  return db
    .selectFrom('mail_notifications')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .orderBy('event_id')
    .limit(limit)
    .execute();
}

/** Deletes notifications; answers the ids of those that were still there. */
export async function takeNotifications(db: Db, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db.deleteFrom('mail_notifications').where('event_id', 'in', ids).returning('event_id').execute();
  return new Set(rows.map(({ event_id }) => event_id));
}

/** Those of some posts, accounts or actions about which something is still to be done. */
export async function stillOpen(db: Db, kind: NotificationKind, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await openRows(db, kind, ids);
  return new Set(rows.map(({ id }) => id));
}

function openRows(
  db: Db,
  kind: NotificationKind,
  ids: readonly string[],
): Promise<readonly Readonly<{ id: string }>[]> {
  if (kind === 'posts') {
    const posts = db.selectFrom('posts').select('id').where('id', 'in', ids);
    return posts.where('status', 'in', ['failed', 'partial']).where('deleted_at', 'is', null).execute();
  }
  if (kind === 'accounts') {
    const accounts = db.selectFrom('accounts').select('id').where('id', 'in', ids);
    return accounts.where('status', '=', 'reconnect_required').execute();
  }
  return db.selectFrom('actions').select('id').where('id', 'in', ids).where('state', '=', 'held').execute();
}
