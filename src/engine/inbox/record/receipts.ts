import { loadConversation } from '../../../../db/inbox/conversations.ts';
import { moveStatus } from '../../../../db/inbox/messages.ts';
import type { MessageStatus } from '../../../../db/schema/database.ts';
import type { InboundEvent } from '../../../platforms/inbound.ts';
import { dmStatus } from './events.ts';
import type { Recording } from './recording.ts';

type Reached = 'sent' | 'delivered' | 'read' | 'failed';

/** From which statuses a message of ours moves to another: they only ever go forward. */
const BEFORE: Readonly<Record<Reached, readonly ('sent' | 'delivered')[]>> = Object.freeze({
  sent: [],
  delivered: ['sent'],
  read: ['sent', 'delivered'],
  failed: ['sent'],
});

/** True when a message of ours gets further by a status. */
export const isStepForward = (from: MessageStatus, to: Reached): boolean =>
  (BEFORE[to] as readonly MessageStatus[]).includes(from);

/** Messages of ours that were delivered, read, or accepted and then not delivered. */
export async function recordReceipt(
  recording: Recording,
  event: Extract<InboundEvent, { kind: 'receipt' }>,
): Promise<void> {
  const { tx, account, silent } = recording;
  const conversation = await loadConversation(tx.db, account.id, event.conversation);
  const { message_ids: named = [], watermark } = event;
  if (conversation === undefined || (named.length === 0 && watermark === undefined)) return;
  const moved = await moveStatus(tx.db, tx.dialect, conversation, {
    from: BEFORE[event.status],
    to: event.status,
    at: event.at,
    ids: named,
    // Up to an instant messages are delivered; what failed is named.
    until: event.status === 'failed' ? undefined : watermark,
  });
  // Messages from the backfill emit no event.
  const ids = moved
    .filter(({ announced }) => announced === 1)
    .toSorted((a, b) => a.created_at - b.created_at || (a.platform_id < b.platform_id ? -1 : 1))
    .map(({ platform_id }) => platform_id);
  if (silent || ids.length === 0) return;
  // Whatever the clocks say, what became of a message comes after it.
  const at = moved.reduce((latest, { created_at }) => Math.max(latest, created_at), event.at);
  recording.emitLater(
    dmStatus(account, conversation, { status: event.status, ids, at: event.at, error: event.error }),
    at,
  );
}
