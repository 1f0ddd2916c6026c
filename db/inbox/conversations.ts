import { hold, upsertOnce, type Dialect } from '../store/dialect.ts';
import type { NewRow, Row, RowPatch } from '../schema/database.ts';
import { firstOf, statement, writing } from '../store/statement.ts';
import type { Db } from '../store/tx.ts';

export type ConversationRow = Row<'conversations'>;

export async function loadConversation(
  db: Db,
  accountId: string,
  platformId: string,
): Promise<ConversationRow | undefined> {
  return firstOf(await byPlatformId(db, { accountId, platformId }));
}

const byPlatformId = statement((db, slot: Readonly<{ accountId: string; platformId: string }>) =>
  db
    .selectFrom('conversations')
    .selectAll()
    .where('account_id', '=', slot.accountId)
    .where('platform_id', '=', slot.platformId),
);

/** Finds and locks a conversation in any account. Only for the engine. */
export function holdConversation(db: Db, dialect: Dialect, id: string): Promise<ConversationRow | undefined> {
  return hold(dialect, db.selectFrom('conversations').selectAll().where('id', '=', id)).executeTakeFirst();
}

/** Undefined if the conversation already exists. */
export async function insertConversation(db: Db, row: NewRow<'conversations'>): Promise<ConversationRow | undefined> {
  return firstOf(await inserting(db, row));
}

const inserting = writing((db, row: NewRow<'conversations'>) =>
  upsertOnce(db.insertInto('conversations').values(row), ['account_id', 'platform_id']),
);

/** Moves the messages and the unread count of one conversation to another. */
export async function mergeConversations(db: Db, kept: ConversationRow, merged: ConversationRow): Promise<void> {
  await db.updateTable('messages').set({ conversation_id: kept.id }).where('conversation_id', '=', merged.id).execute();
  await db.deleteFrom('conversations').where('id', '=', merged.id).execute();
  const incoming = [kept, merged].flatMap(({ last_incoming_at }) => last_incoming_at ?? []);
  const patch = {
    page_id: kept.page_id ?? merged.page_id,
    participant_name: kept.participant_name || merged.participant_name,
    participant_username: kept.participant_username ?? merged.participant_username,
    participant_picture: kept.participant_picture ?? merged.participant_picture,
    status: merged.status === 'active' ? merged.status : kept.status,
    last_incoming_at: incoming.length === 0 ? null : Math.max(...incoming),
    metadata: { ...merged.metadata, ...kept.metadata },
  };
  await patchConversation(db, kept.id, patch, merged.unread_count);
}

/** Changes a conversation; `unread` is added to its unread count. */
export async function patchConversation(
  db: Db,
  id: string,
  patch: RowPatch<'conversations'>,
  unread = 0,
): Promise<void> {
  if (unread > 0) await counting(db, patch, { id, unread });
  else await patching(db, patch, { id });
}

const patching = writing((db, patch: RowPatch<'conversations'>, slot: Readonly<{ id: string }>) =>
  db.updateTable('conversations').set(patch).where('id', '=', slot.id),
);

const counting = writing((db, patch: RowPatch<'conversations'>, slot: Readonly<{ id: string; unread: number }>) =>
  db
    .updateTable('conversations')
    .set((eb) => ({ ...patch, unread_count: eb('unread_count', '+', slot.unread) }))
    .where('id', '=', slot.id),
);
