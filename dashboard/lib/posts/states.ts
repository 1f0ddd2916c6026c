import type { Post } from '../operations.ts';

type Status = Post['status'];

/** Not being published yet: the post can be moved and published. */
export const WAITING: ReadonlySet<Status> = new Set(['draft', 'scheduled']);
/** The post can still be changed. */
export const EDITABLE: ReadonlySet<Status> = new Set([...WAITING, 'failed']);
/** At least one target failed. */
export const FAILED: readonly Status[] = ['failed', 'partial'];
/** At least one target is public. */
export const PUBLIC: ReadonlySet<Status> = new Set(['published', 'partial']);
