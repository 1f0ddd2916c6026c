import { upsertOnce } from './dialect.ts';
import type { MessageStatus } from './schema-inbox.ts';
import type { NewRow, Row, RowPatch } from './schema.ts';
import type { Db } from './tx.ts';

export type MessageRow = Row<'messages'>;

/** A message as it is stored, gone ones included: for the engine. */
export function loadMessage(db: Db, accountId: string, platformId: string): Promise<MessageRow | undefined> {
  return db
    .selectFrom('messages')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('platform_id', '=', platformId)
    .executeTakeFirst();
}

/** Stores a message once; false when it is known. */
export async function insertMessage(db: Db, row: NewRow<'messages'>): Promise<boolean> {
  const insert = db.insertInto('messages').values(row);
  return (await upsertOnce(insert, ['account_id', 'platform_id']).executeTakeFirst()) !== undefined;
}

export async function patchMessage(
  db: Db,
  { account_id, platform_id }: Pick<MessageRow, 'account_id' | 'platform_id'>,
  patch: RowPatch<'messages'>,
): Promise<void> {
  await db
    .updateTable('messages')
    .set(patch)
    .where('account_id', '=', account_id)
    .where('platform_id', '=', platform_id)
    .execute();
}

/** The newest message of a conversation that is not gone. */
export function newestMessage(db: Db, conversationId: string): Promise<MessageRow | undefined> {
  return db
    .selectFrom('messages')
    .selectAll()
    .where('conversation_id', '=', conversationId)
    .where('gone_at', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('platform_id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/**
 * Moves messages of ours that are not as far yet to a status: those named, and all up to an instant. Answers the
 * ones that moved.
 */
export async function moveStatus(
  db: Db,
  conversationId: string,
  move: Readonly<{
    from: readonly MessageStatus[];
    to: MessageStatus;
    at: number;
    ids?: readonly string[] | undefined;
    until?: number | undefined;
  }>,
): Promise<readonly Pick<MessageRow, 'platform_id' | 'announced' | 'created_at'>[]> {
  const { ids, until } = move;
  const query = db
    .updateTable('messages')
    .set({ status: move.to, status_updated_at: move.at })
    .where('conversation_id', '=', conversationId)
    .where('direction', '=', 'outgoing')
    .where('gone_at', 'is', null)
    .where('status', 'in', move.from)
    .where((eb) =>
      eb.or([
        ...(ids && ids.length > 0 ? [eb('platform_id', 'in', ids)] : []),
        ...(until === undefined ? [] : [eb('created_at', '<=', until)]),
      ]),
    );
  return query.returning(['platform_id', 'announced', 'created_at']).execute();
}
