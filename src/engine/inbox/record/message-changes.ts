import { loadConversation, patchConversation } from '#db/inbox/conversations.ts';
import { insertMessage, loadMessage, patchMessage, type MessageRow } from '#db/inbox/messages.ts';
import type { InboundEvent } from '#platforms/inbound.ts';
import { reactionsIn, withReaction } from './metadata.ts';
import { selfOf, type Recording } from './recording.ts';
import { settleLast } from './threads.ts';

type EventOf<K extends InboundEvent['kind']> = Extract<InboundEvent, { kind: K }>;

/** The row for a message that is not stored yet and of which only a change is known. */
const UNKNOWN = {
  conversation_id: '',
  direction: 'incoming',
  sender_id: '',
  sender_name: '',
  text: '',
  attachments: [],
  reply_to: null,
  status: 'received',
  status_updated_at: null,
  metadata: {},
  gone_at: null,
  announced: 0,
  is_notice: 0,
} as const;

/** Changes a message; if the message is not stored yet, keeps the change until it arrives. */
async function changeMessage(
  recording: Recording,
  platformId: string,
  known: MessageRow | undefined,
  patch: Partial<MessageRow>,
): Promise<void> {
  const { tx, account, now } = recording;
  if (known !== undefined) {
    await patchMessage(tx.db, known, patch);
    if (patch.text !== undefined && known.conversation_id !== '') await settleLast(recording, known.conversation_id);
    return;
  }
  const { id: account_id, workspace_id } = account;
  const key = { account_id, workspace_id, platform_id: platformId };
  await insertMessage(tx.db, { ...UNKNOWN, ...key, created_at: now, stored_at: now, ...patch });
}

/** Deletes the content of a message, and keeps its id. */
export async function recordMessageDeletion(recording: Recording, platformId: string): Promise<void> {
  const { tx, account, now } = recording;
  const known = await loadMessage(tx.db, account.id, platformId);
  if (known !== undefined && known.gone_at !== null) return;
  const nothing = { text: '', attachments: [], metadata: {}, gone_at: now, announced: 1 } as const;
  await changeMessage(recording, platformId, known, nothing);
}

/** Replaces the content of a message and leaves everything else. */
export async function recordMessageEdit(recording: Recording, edit: EventOf<'message_edited'>): Promise<void> {
  const { tx, account } = recording;
  const known = await loadMessage(tx.db, account.id, edit.platform_id);
  if (known !== undefined && known.gone_at !== null) return;
  const { edited_at: before } = known?.metadata ?? {};
  if (typeof before === 'number' && before > edit.at) return;
  const { text, attachments, metadata } = edit.content;
  await changeMessage(recording, edit.platform_id, known, {
    text,
    ...(attachments !== undefined && { attachments }),
    metadata: { ...known?.metadata, ...metadata, edited_at: edit.at },
  });
}

export async function recordReaction(recording: Recording, reaction: EventOf<'reaction'>): Promise<void> {
  const { tx, account, now } = recording;
  const known = await loadMessage(tx.db, account.id, reaction.message);
  if (known !== undefined && known.gone_at !== null) return;
  const { emojis, at } = reaction;
  const by = await reactor(recording, reaction, known);
  const reactions = withReaction(reactionsIn(known?.metadata ?? {}), { by, emojis, at }, now);
  await changeMessage(recording, reaction.message, known, { metadata: { ...known?.metadata, reactions } });
}

async function reactor(recording: Recording, { by, direction, conversation }: EventOf<'reaction'>, known?: MessageRow) {
  const { tx, account } = recording;
  const thread = await loadConversation(tx.db, account.id, conversation);
  if (by !== undefined) {
    const isParticipant = by.name === '' && by.id === thread?.participant_id;
    return { id: by.id, name: isParticipant ? thread.participant_name : by.name };
  }
  if (direction === 'outgoing') {
    const { id, name } = selfOf(account, await recording.findPage(thread?.page_id));
    return { id, name };
  }
  if (thread !== undefined) return { id: thread.participant_id, name: thread.participant_name };
  return known?.direction === 'incoming' ? { id: known.sender_id, name: known.sender_name } : { id: '', name: '' };
}

/** Stores a notice in a known conversation, as a message that nobody wrote. */
export async function recordNotice(recording: Recording, notice: EventOf<'notice'>): Promise<void> {
  const { tx, account, now } = recording;
  const thread = await loadConversation(tx.db, account.id, notice.conversation);
  if (thread === undefined) return;
  if (notice.sends !== undefined)
    await patchConversation(tx.db, thread.id, { metadata: { ...thread.metadata, ...notice.sends } });
  await insertMessage(tx.db, {
    ...UNKNOWN,
    account_id: account.id,
    workspace_id: account.workspace_id,
    platform_id: notice.platform_id,
    conversation_id: thread.id,
    sender_id: account.platform,
    sender_name: account.platform,
    text: notice.text,
    metadata: { notice: notice.notice },
    created_at: notice.at,
    stored_at: now,
    announced: 1,
    is_notice: 1,
  });
}
