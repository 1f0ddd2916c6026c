import { insertMessage, loadMessage, patchMessage, type MessageRow } from '#db/inbox/messages.ts';
import type { InboundEvent } from '#platforms/inbound.ts';
import type { Person, PlatformConversation, PlatformMessage } from '#platforms/inbox-types.ts';
import { dmEvent, dmStatus, participantOf } from './events.ts';
import { withParticipant } from './metadata.ts';
import { emitsEvent, neverEmits, selfOf, type Recording, type Thread } from './recording.ts';
import { settleByCorrelationId } from './send-state.ts';
import { isStepForward } from './status.ts';
import { threadOf } from './threads.ts';

type EventOf<K extends InboundEvent['kind']> = Extract<InboundEvent, { kind: K }>;

export async function recordMessage(
  recording: Recording,
  conversation: PlatformConversation,
  message: PlatformMessage,
): Promise<void> {
  const { tx, account } = recording;
  const { known, early } = await loadStored(recording, message.platform_id);
  const settled = await settleSend(recording, message);
  if (known !== undefined && known.gone_at !== null) return;
  const thread = await threadOf(recording, conversation);
  const row = known ?? (await addMessage(recording, thread, message, { early }));
  const { status } = message;
  if (known !== undefined && status !== undefined && isStepForward(known.status, status)) {
    await patchMessage(tx.db, known, { status, status_updated_at: recording.now });
  }
  const isAnnounced = await announce(recording, row, known !== undefined);
  if (isAnnounced && row.direction === 'outgoing') await emitMessageEvent(recording, 'dm.sent', row, thread);
  if (settled) {
    const reported = { status: 'sent', ids: [message.platform_id], at: recording.now } as const;
    recording.emitLater(dmStatus(account, thread.row, reported), row.created_at);
  }
  if (!isAnnounced || row.direction === 'outgoing') return;
  countIncoming(thread, row, known !== undefined);
  await emitMessageEvent(recording, 'dm.received', row, thread);
  const quick = message.metadata?.['quick_reply'];
  // A quick reply is both a message and a postback; an event with its own id is emitted for each.
  if (typeof quick === 'object' && quick !== null) {
    const { payload } = quick as { payload?: unknown };
    const metadata = { title: row.text, payload: payload ?? null };
    await emitMessageEvent(recording, 'dm.postback', row, thread, { metadata, aspect: 'postback' });
  }
}

/** A stored message; returned as `early` if only a change of it has arrived so far. */
async function loadStored({ tx, account }: Recording, platformId: string) {
  const stored = await loadMessage(tx.db, account.id, platformId);
  const isEarly = stored?.conversation_id === '' && stored.gone_at === null;
  return isEarly ? { early: stored } : { known: stored };
}

/** Settles the send that a message belongs to, by its correlation id; true if the send's result was unknown. */
async function settleSend(
  { tx, account, now }: Recording,
  { direction, correlation_id: correlationId, platform_id }: PlatformMessage,
) {
  if (direction !== 'outgoing' || correlationId === undefined) return false;
  return settleByCorrelationId(tx, { accountId: account.id, correlationId, messageId: platform_id, now });
}

/** Records that a button was tapped; the conversation shows it as a message with the button's text. */
export async function recordPostback(recording: Recording, event: EventOf<'postback'>): Promise<void> {
  const { known, early } = await loadStored(recording, event.platform_id);
  if (known !== undefined && known.gone_at !== null) return;
  const thread = await threadOf(recording, event.conversation);
  const metadata = { ...event.metadata, title: event.title, payload: event.payload };
  const row = known ?? (await addMessage(recording, thread, saying(event, event.title, metadata), { early }));
  if (!(await announce(recording, row, known !== undefined))) return;
  countIncoming(thread, row, known !== undefined);
  await emitMessageEvent(recording, 'dm.postback', row, thread, { metadata });
}

/** Records a link or ad that was opened without a message. It is stored hidden, so that it emits only one event. */
export async function recordReferral(recording: Recording, event: EventOf<'referral'>): Promise<void> {
  const { tx, account, now } = recording;
  if ((await loadMessage(tx.db, account.id, event.platform_id)) !== undefined) return;
  const thread = await threadOf(recording, event.conversation);
  const row = await addMessage(recording, thread, saying(event, '', { referral: event.referral }), { goneAt: now });
  if (await announce(recording, row, false)) await emitMessageEvent(recording, 'dm.referral', row, thread);
}

const saying = (
  { platform_id, at }: Readonly<{ platform_id: string; at: number }>,
  text: string,
  metadata: Readonly<Record<string, unknown>>,
): PlatformMessage => ({ platform_id, direction: 'incoming', text, attachments: [], created_at: at, metadata });

async function addMessage(
  recording: Recording,
  thread: Thread,
  message: PlatformMessage,
  { goneAt = null, early }: Readonly<{ goneAt?: number | null; early?: MessageRow | undefined }> = {},
): Promise<MessageRow> {
  const { tx, account, now } = recording;
  const outgoing = message.direction === 'outgoing';
  const sender = outgoing ? selfOf(account, await recording.findPage(thread.row.page_id)) : participantOf(thread.row);
  const row: MessageRow = {
    account_id: account.id,
    platform_id: message.platform_id,
    workspace_id: account.workspace_id,
    conversation_id: thread.row.id,
    direction: message.direction,
    sender_id: sender.id,
    sender_name: sender.name,
    text: message.text,
    attachments: message.attachments,
    reply_to: message.reply_to ?? null,
    status: outgoing ? (message.status ?? 'sent') : 'received',
    status_updated_at: null,
    metadata: {
      ...message.metadata,
      ...(message.correlation_id !== undefined && { mark: message.correlation_id }),
    },
    gone_at: goneAt,
    created_at: message.created_at,
    announced: emitsEvent(recording, false, message.created_at) || neverEmits(recording, message.created_at) ? 1 : 0,
    stored_at: now,
    is_notice: 0,
  };
  if (early === undefined) await insertMessage(tx.db, row);
  else await patchMessage(tx.db, early, Object.assign(row, changedBy(row, early, participantOf(thread.row))));
  if (goneAt !== null) return row;
  thread.hasNewMessages = true;
  if (!outgoing) thread.lastIncoming = Math.max(thread.lastIncoming, message.created_at);
  return row;
}

function changedBy(
  row: MessageRow,
  { text, attachments, metadata }: MessageRow,
  { id, name }: Person,
): Partial<MessageRow> {
  return {
    ...(metadata['edited_at'] !== undefined && { text }),
    ...(attachments.length > 0 && { attachments }),
    metadata: { ...row.metadata, ...withParticipant(metadata, { id, name }) },
  };
}

/** Whether to emit the message's event now; if so, marks a message that was already stored as announced. */
async function announce(recording: Recording, row: MessageRow, isKnown: boolean): Promise<boolean> {
  if (!isKnown) return emitsEvent(recording, false, row.created_at);
  if (row.announced === 1 || !emitsEvent(recording, true, row.created_at)) return false;
  await patchMessage(recording.tx.db, row, { announced: 1 });
  return true;
}

function countIncoming(thread: Thread, row: MessageRow, isKnown: boolean): void {
  thread.hasIncoming = true;
  // If a list created the conversation, its unread count already includes the messages of that list.
  const isCounted =
    row.stored_at === thread.row.created_at && (isKnown ? thread.row.unread_count > 0 : thread.isCounted);
  if (!isCounted) thread.unread += 1;
}

async function emitMessageEvent(
  recording: Recording,
  name: Parameters<typeof dmEvent>[1],
  row: MessageRow,
  thread: Thread,
  more: Pick<Parameters<typeof dmEvent>[3], 'metadata' | 'aspect'> = {},
): Promise<void> {
  const { account } = recording;
  const page = await recording.findPage(thread.row.page_id);
  recording.emitLater(
    dmEvent(account, name, row, {
      conversation: thread.row,
      self: selfOf(account, page),
      page_id: page?.id ?? thread.row.page_id ?? undefined,
      media: recording.addresses?.shown(row),
      ...more,
    }),
    row.created_at,
  );
}
