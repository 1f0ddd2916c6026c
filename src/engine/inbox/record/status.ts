import type { MessageStatus } from '#db/schema/database.ts';

export type ReachedStatus = 'sent' | 'delivered' | 'read' | 'failed';

/** From which statuses a message moves to another: only forward. */
export const BEFORE: Readonly<Record<ReachedStatus, readonly ('sent' | 'delivered')[]>> = Object.freeze({
  sent: [],
  delivered: ['sent'],
  read: ['sent', 'delivered'],
  failed: ['sent'],
});

/** Whether a status is progress for a message of ours. */
export const isStepForward = (from: MessageStatus, to: ReachedStatus): boolean =>
  (BEFORE[to] as readonly MessageStatus[]).includes(from);
