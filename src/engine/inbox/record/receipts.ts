import { loadConversation } from '#db/inbox/conversations.ts';
import { loadMessage, moveStatus, patchMessage } from '#db/inbox/messages.ts';
import type { InboundEvent } from '#platforms/inbound.ts';
import { platformConversation } from './conversation.ts';
import { dmStatus } from './events.ts';
import { recordMessage } from './messages.ts';
import type { Recording } from './recording.ts';
import { settleByCorrelationId, waitingPart } from './send-state.ts';
import { BEFORE } from './status.ts';

type Receipt = Extract<InboundEvent, { kind: 'receipt' }>;

/** Records that messages of ours were accepted, delivered, read or not delivered. */
export async function recordReceipt(recording: Recording, event: Receipt): Promise<void> {
  const { tx, account, silent } = recording;
  await recordSettled(recording, event);
  const conversation = await loadConversation(tx.db, account.id, event.conversation);
  const { message_ids: named = [], watermark } = event;
  // A stored message of ours is known to be accepted, so `sent` changes nothing.
  if (event.status === 'sent' || conversation === undefined || (named.length === 0 && watermark === undefined)) return;
  const moved = await moveStatus(tx.db, tx.dialect, conversation, {
    from: BEFORE[event.status],
    to: event.status,
    at: event.at,
    ids: named,
    // All messages up to a time may be delivered or read, but failures name their messages.
    until: event.status === 'failed' ? undefined : watermark,
  });
  if (event.error !== undefined)
    for (const { platform_id } of moved) await noteError(recording, platform_id, event.error);
  // No events are emitted about messages that came from the backfill.
  const ids = moved
    .filter(({ announced }) => announced === 1)
    .toSorted((a, b) => a.created_at - b.created_at || (a.platform_id < b.platform_id ? -1 : 1))
    .map(({ platform_id }) => platform_id);
  if (silent || ids.length === 0) return;
  // The event must follow that of the message, even if the clocks differ.
  const at = moved.reduce((latest, { created_at }) => Math.max(latest, created_at), event.at);
  recording.emitLater(
    dmStatus(account, conversation, { status: event.status, ids, at: event.at, error: event.error }),
    at,
  );
}

/** Handles a receipt with our correlation id: it proves that a send without a known result was successful. */
async function recordSettled(recording: Recording, event: Receipt): Promise<void> {
  const { tx, account, now } = recording;
  const { correlation_id: correlationId, message_ids: [messageId] = [] } = event;
  if (correlationId === undefined || messageId === undefined) return;
  const part = await waitingPart(tx, { accountId: account.id, correlationId });
  if (part?.message === undefined) {
    await settleByCorrelationId(tx, { accountId: account.id, correlationId, messageId, now });
    return;
  }
  const { conversation: thread } = event;
  const known = await loadConversation(tx.db, account.id, thread);
  // The first message to a person begins a conversation.
  const begun = { platform_id: thread, participant: { id: thread, name: '' } };
  await recordMessage(recording, known === undefined ? begun : platformConversation(known), {
    ...part.message,
    platform_id: messageId,
    direction: 'outgoing',
    created_at: part.sent_at ?? event.at,
    correlation_id: correlationId,
    status: 'sent',
  });
}

async function noteError({ tx, account }: Recording, platformId: string, error: Receipt['error']): Promise<void> {
  const message = await loadMessage(tx.db, account.id, platformId);
  if (message) await patchMessage(tx.db, message, { metadata: { ...message.metadata, error } });
}
