import { isGone, messageForPeople, type Call } from '../lib/call.ts';
import { addDays } from '../lib/days.ts';
import type { OperationName, Post } from '../lib/operations.ts';
import { FAILED, PUBLIC, WAITING } from '../lib/posts/states.ts';
import { instantOf, wallTimeOf } from '../lib/time.ts';

/** By how much posts are moved. */
export type Shift = Readonly<{ by: number; unit: 'days' | 'hours' }>;

type Setting = Readonly<{ zone: string; shift: Shift }>;

/** What can be done to several posts, one after the other. */
export type Action = Readonly<{
  title: string;
  /** The operation that it calls. */
  needs: OperationName;
  /** The title of the confirmation; `posts` is a number with its noun. */
  ask(posts: string): string;
  /** What happens to the posts, and why to none of the others that are selected. */
  effect: string;
  others: string;
  doing: string;
  done: string;
  /** Set if the posts are gone afterwards. */
  isDeletion?: true;
  suits(post: Post): boolean;
  /** Does it to one post. Returns why it was not done completely. */
  run(call: Call, post: Post, setting: Setting): Promise<string | undefined>;
}>;

const HOUR_MS = 3_600_000;

/** A day later is the same local time, even if that day has 23 or 25 hours. */
export function movedTo(at: string, { by, unit }: Shift, zone: string): string {
  if (unit === 'hours') return new Date(Date.parse(at) + by * HOUR_MS).toISOString();
  const { day, time } = wallTimeOf(at, zone);
  return instantOf({ day: addDays(day, by), time }, zone);
}

export const MOVE: Action = {
  title: 'Move',
  needs: 'reschedule_posts',
  ask: (posts) => `Move ${posts}`,
  effect: '',
  others: 'Only scheduled posts can be moved.',
  doing: 'Moving',
  done: 'moved',
  suits: ({ status, scheduled_at }) => status === 'scheduled' && scheduled_at !== null,
  async run(call, { id, scheduled_at }, { zone, shift }) {
    const posts = [{ post_id: id, scheduled_at: movedTo(scheduled_at!, shift, zone) }];
    const { results } = await call('reschedule_posts', { posts });
    const error = results[0]?.error;
    return error && messageForPeople(error.message, zone);
  },
};

const UNSCHEDULE: Action = {
  title: 'Unschedule',
  needs: 'update_post',
  ask: (posts) => `Unschedule ${posts}?`,
  effect: 'They become drafts and lose their time.',
  others: 'Only scheduled posts can be unscheduled.',
  doing: 'Unscheduling',
  done: 'unscheduled',
  suits: ({ status }) => status === 'scheduled',
  async run(call, { id }) {
    await call('update_post', { post_id: id, scheduled_at: null });
    return undefined;
  },
};

const PUBLISH: Action = {
  title: 'Publish now',
  needs: 'publish_post',
  ask: (posts) => `Publish ${posts} now?`,
  effect: 'They go out at once, one after the other.',
  others: 'Only drafts and scheduled posts with an account can be published.',
  doing: 'Publishing',
  done: 'sent',
  suits: ({ status, targets }) => WAITING.has(status) && targets.length > 0,
  async run(call, { id }) {
    const { status } = await call('publish_post', { post_id: id });
    return status === 'partial' ? 'It was not published on all of its accounts. Open it to see why.' : undefined;
  },
};

const RETRY: Action = {
  title: 'Publish again',
  needs: 'retry_post',
  ask: (posts) => `Publish ${posts} again?`,
  effect: 'Only where it failed.',
  others: 'Only failed posts can be published again.',
  doing: 'Publishing again',
  done: 'sent again',
  suits: ({ status }) => FAILED.includes(status),
  async run(call, { id }) {
    await call('retry_post', { post_id: id });
    return undefined;
  },
};

const DELETE: Action = {
  title: 'Delete',
  needs: 'delete_post',
  ask: (posts) => `Delete ${posts}?`,
  effect: 'This cannot be undone.',
  others: 'What is public can be deleted on its own page.',
  doing: 'Deleting',
  done: 'deleted',
  isDeletion: true,
  suits: ({ status }) => status !== 'publishing' && !PUBLIC.has(status),
  async run(call, { id }) {
    try {
      await call('delete_post', { post_id: id });
    } catch (error) {
      if (!isGone(error)) throw error;
    }
    return undefined;
  },
};

export const ACTIONS: readonly Action[] = [MOVE, UNSCHEDULE, PUBLISH, RETRY, DELETE];
