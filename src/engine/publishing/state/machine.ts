import type { PostStatus, TargetStatus } from '#db/schema/database.ts';
import type { ErrorCode } from '#kernel/errors.ts';
import type { EventName } from '#kernel/events.ts';

export type Move = 'edit' | 'schedule' | 'cancel' | 'publish' | 'retry' | 'unpublish';

/** From which states each transition may start; hiding and deleting from any. docs/contract/states.md#posts */
export const MOVES: Readonly<Record<Move, readonly PostStatus[]>> = Object.freeze({
  edit: ['draft', 'scheduled', 'failed'],
  schedule: ['draft', 'scheduled'],
  cancel: ['scheduled'],
  publish: ['draft', 'scheduled'],
  retry: ['failed', 'partial'],
  unpublish: ['published', 'partial'],
});

/** The error of a retry in this state; undefined if it is allowed. */
export function retryRefusal(status: PostStatus, hasOpenTarget: boolean): ErrorCode | undefined {
  if (status === 'published') return 'post.state_invalid';
  if (!hasOpenTarget) return 'post.no_retryable_deliveries';
  return MOVES.retry.includes(status) ? undefined : 'post.state_invalid';
}

/** Targets for a retry: failed ones, and untried ones that were added since. */
export function isOpen(post: PostStatus, target: TargetStatus): boolean {
  return target === 'failed' || (target === 'pending' && MOVES.retry.includes(post));
}

/** Whether some posts of a thread are public, and others are not. */
export function isPartlyPublic(target: Readonly<{ status: TargetStatus; platform_post_id: string | null }>): boolean {
  return (target.status === 'failed' || target.status === 'publishing') && target.platform_post_id !== null;
}

/** Whether something of an idle target is known to be public. */
export function isPublic(target: Readonly<{ status: TargetStatus; platform_post_id: string | null }>): boolean {
  return target.status === 'published' || (target.status === 'failed' && isPartlyPublic(target));
}

/** Targets that no longer affect their post. */
export function isGone(status: TargetStatus): boolean {
  return status === 'unpublished' || status === 'cancelled';
}

/** The state of a published post, by the states of its targets. */
export function statusOf(targets: readonly TargetStatus[]): 'publishing' | 'published' | 'partial' | 'failed' {
  const counted = targets.filter((status) => !isGone(status));
  if (counted.some((status) => status === 'publishing' || status === 'scheduled')) return 'publishing';
  const published = counted.filter((status) => status === 'published').length;
  if (published === 0) return 'failed';
  return published === counted.length ? 'published' : 'partial';
}

export const FINAL_EVENTS = Object.freeze({
  published: 'post.published',
  partial: 'post.partial',
  failed: 'post.failed',
} as const satisfies Partial<Record<PostStatus, EventName>>);
