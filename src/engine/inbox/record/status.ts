import type { MessageStatus } from '#db/schema/database.ts';

/** What becomes of a message of ours. */
export type ReachedStatus = 'sent' | 'delivered' | 'read' | 'failed';

/** From which statuses a message of ours moves to another: they only ever go forward. */
export const BEFORE: Readonly<Record<ReachedStatus, readonly ('sent' | 'delivered')[]>> = Object.freeze({
  sent: [],
  delivered: ['sent'],
  read: ['sent', 'delivered'],
  failed: ['sent'],
});

/** True when a message of ours gets further by a status. */
export const isStepForward = (from: MessageStatus, to: ReachedStatus): boolean =>
  (BEFORE[to] as readonly MessageStatus[]).includes(from);
