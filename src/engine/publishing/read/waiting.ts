import type { PostRow } from '#db/posts/posts.ts';
import { NEVER } from '#db/schema/database.ts';
import type { TargetRow } from '#db/posts/targets.ts';
import { isoTime } from '#kernel/clock.ts';

/** When a waiting target is tried again; undefined if it is running or final. */
export function nextAttemptOf({ status, lease_token, due_at }: TargetRow): number | undefined {
  return status === 'publishing' && lease_token === null && due_at < NEVER ? due_at : undefined;
}

type Waiting = Readonly<{ message: string; next: string }>;

/** Explains what a post is waiting for, so that a retry can be refused; undefined if nothing. */
export function waitingOf(post: PostRow, targets: readonly TargetRow[]): Waiting | undefined {
  if (post.status === 'draft') return { message: 'This post is a draft.', next: 'Publish it with publish_post.' };
  if (post.status === 'scheduled') {
    const message = `This post is scheduled for ${isoTime(firstOf(targets.map(timeOf)) ?? post.sort_at)}.`;
    return { message, next: 'Wait until then, or publish it now with publish_post.' };
  }
  const waiting = targets.filter(({ status }) => status === 'publishing' || status === 'scheduled');
  if (waiting.length === 0) return undefined;
  const count = waiting.length === 1 ? '1 target is' : `${waiting.length} targets are`;
  const at = firstOf(waiting.map((target) => nextAttemptOf(target) ?? timeOf(target)));
  const when = at === undefined ? '' : `; next attempt at ${isoTime(at)}`;
  return {
    message: `${count} still publishing${when}.`,
    next: 'Wait for the outcome: get_post shows it.',
  };
}

const timeOf = ({ status, due_at }: TargetRow) => (status === 'scheduled' && due_at < NEVER ? due_at : undefined);

function firstOf(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
