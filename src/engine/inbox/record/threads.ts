import {
  insertConversation,
  loadConversation,
  patchConversation,
  type ConversationRow,
} from '#db/inbox/conversations.ts';
import { newestMessage } from '#db/inbox/messages.ts';
import type { Db } from '#db/store/tx.ts';
import { newId } from '#kernel/ids.ts';
import type { PlatformConversation } from '#platforms/inbox-types.ts';
import { previewOf } from './preview.ts';
import type { Recording, Thread } from './recording.ts';

/** The conversation of an event, created if necessary; also updates the participant's profile. */
export async function threadOf(recording: Recording, reported: PlatformConversation): Promise<Thread> {
  const { tx, account, now, silent, threads } = recording;
  const open = threads.get(reported.platform_id);
  if (open !== undefined) return open;
  const known = await loadConversation(tx.db, account.id, reported.platform_id);
  const current = { ...mergedColumns(reported, known), updated_at: now };
  const row = known ?? {
    id: newId('conv', now),
    workspace_id: account.workspace_id,
    account_id: account.id,
    platform_id: reported.platform_id,
    ...current,
    status: 'active' as const,
    unread_count: silent ? (reported.unread ?? 0) : 0,
    last_message: '',
    last_message_at: now,
    last_message_direction: null,
    last_incoming_at: null,
    created_at: now,
  };
  if (known === undefined) await insertConversation(tx.db, row);
  else await patchConversation(tx.db, row.id, current);
  const isCounted = silent && reported.unread !== undefined;
  const begun = { unread: 0, hasIncoming: false, lastIncoming: row.last_incoming_at ?? 0, hasNewMessages: false };
  const thread = { row: { ...row, ...current }, isCounted, ...begun };
  threads.set(reported.platform_id, thread);
  return thread;
}

/** A conversation's columns: what the platform reports, completed with what is stored. */
function mergedColumns({ page_id, participant, metadata }: PlatformConversation, known: ConversationRow | undefined) {
  return {
    page_id: page_id ?? known?.page_id ?? null,
    participant_id: participant.id,
    participant_name: participant.name || (known?.participant_name ?? ''),
    participant_username: participant.username ?? known?.participant_username ?? null,
    participant_picture: participant.avatar_url ?? known?.participant_picture ?? null,
    metadata: { ...known?.metadata, ...metadata },
  };
}

export async function settleThreads(recording: Recording): Promise<void> {
  const { tx } = recording;
  for (const { row, unread, hasIncoming, lastIncoming, hasNewMessages } of recording.threads.values()) {
    const patch = {
      ...(lastIncoming > (row.last_incoming_at ?? 0) && { last_incoming_at: lastIncoming }),
      ...(hasIncoming && { status: 'active' as const }),
      ...(hasNewMessages && (await lastOf(tx.db, row.id))),
    };
    if (Object.keys(patch).length > 0) await patchConversation(tx.db, row.id, patch, unread);
  }
}

export async function settleLast({ tx }: Pick<Recording, 'tx'>, conversationId: string): Promise<void> {
  await patchConversation(tx.db, conversationId, await lastOf(tx.db, conversationId));
}

/** The preview of the newest message by the platform's time, even if older ones arrived after it. */
async function lastOf(db: Db, conversationId: string) {
  const newest = await newestMessage(db, conversationId);
  if (newest === undefined) return { last_message: '', last_message_direction: null };
  return {
    last_message: previewOf(newest.text, newest.attachments),
    last_message_at: newest.created_at,
    last_message_direction: newest.direction,
  };
}
