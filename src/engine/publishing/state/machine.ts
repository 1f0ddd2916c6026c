import type { PostStatus, TargetStatus } from '#db/schema/database.ts';
import type { ErrorCode } from '#kernel/errors.ts';
import type { EventName } from '#kernel/events.ts';

export type Move = 'edit' | 'schedule' | 'cancel' | 'publish' | 'retry' | 'unpublish';

/** Where each transition may start; hiding and deleting are always possible. docs/contract/states.md#posts */
export const MOVES: Readonly<Record<Move, readonly PostStatus[]>> = Object.freeze({
  edit: ['draft', 'scheduled', 'failed'],
  schedule: ['draft', 'scheduled'],
  cancel: ['scheduled'],
  publish: ['draft', 'scheduled'],
  retry: ['failed', 'partial'],
  unpublish: ['published', 'partial'],
});

/** Why a post in this state cannot be retried; undefined if it can. */
export function retryRefusal(status: PostStatus, hasOpenTarget: boolean): ErrorCode | undefined {
  if (status === 'published') return 'post.state_invalid';
  if (!hasOpenTarget) return 'post.no_retryable_deliveries';
  return MOVES.retry.includes(status) ? undefined : 'post.state_invalid';
}

/** Whether a retry includes the target: it failed, or was added since and not tried. */
export function isOpen(post: PostStatus, target: TargetStatus): boolean {
  return target === 'failed' || (target === 'pending' && MOVES.retry.includes(post));
}

/** Whether only some posts of a thread are public. */
export function isPartlyPublic(target: Readonly<{ status: TargetStatus; platform_post_id: string | null }>): boolean {
  return (target.status === 'failed' || target.status === 'publishing') && target.platform_post_id !== null;
}

/** Whether a part of a target that is not running is known to be public. */
export function isPublic(target: Readonly<{ status: TargetStatus; platform_post_id: string | null }>): boolean {
  return target.status === 'published' || (target.status === 'failed' && isPartlyPublic(target));
}

/** Whether a target no longer affects its post. */
export function isGone(status: TargetStatus): boolean {
  return status === 'unpublished' || status === 'cancelled';
}

/** The state of a published post, derived from those of its targets. */
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
