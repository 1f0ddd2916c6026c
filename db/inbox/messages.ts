import { sql, type SqlBool } from 'kysely';
import { oneOf, statusIs, type Dialect } from '../store/dialect.ts';
import type { MessageStatus, Row } from '../schema/database.ts';
import { firstOf, statement } from '../store/statement.ts';
import type { Db } from '../store/tx.ts';
import { recordsIn } from './records.ts';

export type MessageRow = Row<'messages'>;

export const { load: loadMessage, insert: insertMessage, patch: patchMessage } = recordsIn('messages');

/** The statuses of our messages before it is known that they were read. */
type Unread = 'sent' | 'delivered';

/** The newest message of a conversation that is neither deleted nor a notice. */
export async function newestMessage(
  db: Db,
  conversationId: string,
  direction?: MessageRow['direction'],
): Promise<MessageRow | undefined> {
  if (direction === undefined) return firstOf(await newestOfAll(db, { conversationId }));
  return newestOf(db, { conversationId }).where('direction', '=', direction).executeTakeFirst();
}

function newestOf(db: Db, { conversationId }: Readonly<{ conversationId: string }>) {
  return db
    .selectFrom('messages')
    .selectAll()
    .where('conversation_id', '=', conversationId)
    .where('gone_at', 'is', null)
    .where('is_notice', '=', 0)
    .orderBy('created_at', 'desc')
    .orderBy('platform_id', 'desc')
    .limit(1);
}

const newestOfAll = statement(newestOf);

type Moved = Pick<MessageRow, 'platform_id' | 'announced' | 'created_at'>;

/** Sets the status of our messages: those with the given ids, and all up to a time. Returns the changed ones. */
export async function moveStatus(
  db: Db,
  dialect: Dialect,
  conversation: Readonly<{ id: string; account_id: string }>,
  move: Readonly<{
    from: readonly Unread[];
    to: MessageStatus;
    at: number;
    ids: readonly string[];
    until?: number | undefined;
  }>,
): Promise<readonly Moved[]> {
  const { from, ids, until } = move;
  const query = db
    .updateTable('messages')
    .set({ status: move.to, status_updated_at: move.at })
    .where('gone_at', 'is', null)
    .where('status', 'in', from)
    .returning(['platform_id', 'announced', 'created_at']);
  // Look them up by id, because there are few ids but perhaps many unread messages.
  const named = query
    .where('account_id', '=', conversation.account_id)
    .where(oneOf(dialect, 'platform_id', ids))
    .where('direction', '=', 'outgoing')
    .where(sql<SqlBool>`coalesce(conversation_id, '') = ${conversation.id}`);
  const moved = ids.length === 0 ? [] : await named.execute();
  if (until === undefined) return moved;
  // SQLite needs the literal condition of the index `messages_unread`.
  const before = query
    .where('conversation_id', '=', conversation.id)
    .where(sql<SqlBool>`messages.direction = 'outgoing' and ${statusIs('messages', 'sent', 'delivered')}`)
    .where('created_at', '<=', until);
  return [...moved, ...(await before.execute())];
}
