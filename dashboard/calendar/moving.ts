import { batch, computed, signal } from '@preact/signals';
import type { Say } from '../lib/acting.ts';
import { isGone, RefusedError, type Call } from '../lib/call.ts';
import { longDay } from './days.ts';
import type { Post } from '../lib/operations.ts';
import { WAITING } from '../lib/posts/states.ts';
import { instantOf, tomorrow, wallTimeOf, type WallTime } from '../lib/time.ts';
import type { CalendarPosts } from './posts.ts';

/** The post whose day and time the dialog asks for. */
type Asked = Readonly<{ post: Post; day: string; time: string }>;

export type MovingDeps = Readonly<{
  call: Call;
  zone: string;
  /** Whether the person may move posts. */
  mayMove: boolean;
  now(): number;
  say: Say;
}>;

/** The default time for a draft. */
const MORNING = '09:00';

function reasonOf(error: unknown): string {
  if (!(error instanceof RefusedError)) return 'No answer came: look where it is now before you move it again.';
  return `Not moved: ${isGone(error) ? 'it was deleted elsewhere.' : error.message}`;
}

export function makeMoving(
  { call, zone, mayMove, now, say }: MovingDeps,
  posts: CalendarPosts,
  goTo: (day: string, post?: string) => void,
) {
  const asked = signal<Asked | undefined>(undefined);
  /** Why a post was not moved, shown next to it. */
  const refusal = signal<Readonly<{ id: string; text: string }> | undefined>(undefined);
  const today = () => wallTimeOf(now(), zone).day;

  function refuse({ id }: Post, text: string): void {
    refusal.value = { id, text };
    say(text, { isBad: true });
  }

  /** Shows a post as moved, and moves it back if the server refuses. Without a time it becomes a draft again. */
  async function move(post: Post, to: WallTime | undefined, isUndo = false): Promise<void> {
    refusal.value = undefined;
    const scheduled_at = to === undefined ? null : instantOf(to, zone);
    if (scheduled_at !== null && Date.parse(scheduled_at) <= now()) {
      refuse(post, 'Not moved: that time is past.');
      return;
    }
    // A dialog or an undo may hold an older version of the post than the calendar shows.
    const before = posts.posts.value.get(post.id) ?? post;
    const moved: Post = { ...post, scheduled_at, status: to === undefined ? 'draft' : 'scheduled' };
    batch(() => {
      posts.put([moved]);
      if (to !== undefined) goTo(to.day, post.id);
    });
    const back = before.scheduled_at === null ? undefined : wallTimeOf(before.scheduled_at, zone);
    try {
      const fresh = await call('update_post', { post_id: post.id, scheduled_at, if_updated_at: post.updated_at });
      posts.put([fresh]);
      const words = to === undefined ? 'It is a draft again.' : `Moved to ${longDay(to.day)}, ${to.time}.`;
      say(isUndo ? 'Moved back.' : words, isUndo ? {} : { undo: () => void move(fresh, back, true) });
    } catch (error) {
      if (posts.posts.value.get(post.id) === moved) posts.put([before]);
      if (back !== undefined) goTo(back.day, post.id);
      refuse(post, reasonOf(error));
      // It is something else now, or gone, or moved although no answer came.
      posts.changed(post.id);
    }
  }

  return {
    mayMove,
    isMovable: ({ status }: Post): boolean => mayMove && WAITING.has(status),
    asked: computed(() => asked.value),
    refusal: computed(() => refusal.value),
    today,
    move,
    refuse,
    forgive: () => void (refusal.value = undefined),

    /** Drops a post on a day and keeps its time. Drafts, and times that are past, open the dialog first. */
    putOn(post: Post, day: string): void {
      if (day < today()) {
        refuse(post, 'Not moved: that day is past.');
        return;
      }
      const time = post.scheduled_at === null ? MORNING : wallTimeOf(post.scheduled_at, zone).time;
      const isOver = Date.parse(instantOf({ day, time }, zone)) <= now();
      if (post.status === 'draft' || isOver) asked.value = { post, day, time };
      else void move(post, { day, time });
    },
    /** Shows a post, and asks for its day and time if it can be moved. */
    ask(post: Post): void {
      const at = post.published_at ?? post.scheduled_at;
      asked.value = { post, ...(at === null ? { day: tomorrow(now(), zone), time: MORNING } : wallTimeOf(at, zone)) };
    },
    dismiss: () => void (asked.value = undefined),
  };
}
