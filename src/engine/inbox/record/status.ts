import type { MessageStatus } from '#db/schema/database.ts';

export type ReachedStatus = 'sent' | 'delivered' | 'read' | 'failed';

/** The statuses from which a message can move to each other one; it only moves forward. */
export const BEFORE: Readonly<Record<ReachedStatus, readonly ('sent' | 'delivered')[]>> = Object.freeze({
  sent: [],
  delivered: ['sent'],
  read: ['sent', 'delivered'],
  failed: ['sent'],
});

/** Whether the new status is further than the current one. */
export const isStepForward = (from: MessageStatus, to: ReachedStatus): boolean =>
  (BEFORE[to] as readonly MessageStatus[]).includes(from);
