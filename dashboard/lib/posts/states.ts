import type { Post } from '../operations.ts';

type Status = Post['status'];

/** Not on its way yet: it can be moved and published. */
export const WAITING: ReadonlySet<Status> = new Set(['draft', 'scheduled']);
/** It can still be changed. */
export const EDITABLE: ReadonlySet<Status> = new Set([...WAITING, 'failed']);
/** Something of it did not arrive. */
export const FAILED: readonly Status[] = ['failed', 'partial'];
/** Something of it is public. */
export const PUBLIC: ReadonlySet<Status> = new Set(['published', 'partial']);
