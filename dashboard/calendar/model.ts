import { batch, computed, signal } from '@preact/signals';
import { addDays } from '../lib/days.ts';
import { longDay, sameDay, weekOf } from './days.ts';
import { makeMoving, type MovingDeps } from './moving.ts';
import { makeCalendarPosts } from './posts.ts';
import { counted } from '#kernel/people/counted.ts';

export type View = 'month' | 'week' | 'list';
type Carried = Readonly<{ id: string; from: string; over: string; by: 'keys' | 'pointer' }>;

type CalendarDeps = MovingDeps &
  Readonly<{
    view: View;
    /** The day to show first. */
    on: string;
    later(run: () => void): void;
  }>;

const STEPS: ReadonlyMap<string, number> = new Map([
  ['ArrowLeft', -1],
  ['ArrowRight', 1],
  ['ArrowUp', -7],
  ['ArrowDown', 7],
]);

/** The day to which a key moves from another day; undefined if the key moves to none. */
export function stepFrom(day: string, key: string): string | undefined {
  const step = STEPS.get(key);
  if (step !== undefined) return addDays(day, step);
  if (key === 'PageUp' || key === 'PageDown') return sameDay(day, key === 'PageUp' ? -1 : 1);
  if (key === 'Home' || key === 'End') return weekOf(day).at(key === 'Home' ? 0 : -1);
  return undefined;
}

/** The posts of each day, and the post that is being moved. */
export function makeCalendar({ view: first, on, later, ...deps }: CalendarDeps) {
  const posts = makeCalendarPosts({ ...deps, later });
  const view = signal<View>(first);
  /** The position of the arrow keys: a day, and perhaps a post in it. */
  const cursor = signal<Readonly<{ day: string; post?: string | undefined }>>({ day: on });
  const month = signal(on.slice(0, 7));
  const carried = signal<Carried | undefined>(undefined);
  /** Text that screen readers announce. */
  const spoken = signal('');

  function goTo(day: string, post?: string): void {
    batch(() => {
      cursor.value = { day, post };
      month.value = day.slice(0, 7);
    });
    void posts.load(month.value);
  }

  const moving = makeMoving(deps, posts, goTo);
  const { today, refuse, putOn } = moving;

  return {
    ...posts,
    ...moving,
    view: computed(() => view.value),
    cursor: computed(() => cursor.value),
    month: computed(() => month.value),
    carried: computed(() => carried.value),
    spoken: computed(() => moving.refusal.value?.text ?? spoken.value),
    goTo,

    /** Moves the position of the arrow keys to the day or post that has the focus. */
    stand(day: string, post?: string): void {
      if (carried.value?.by !== 'keys') cursor.value = { day, post };
    },
    turn(count: number): void {
      const { day } = cursor.value;
      goTo(view.value === 'week' ? addDays(day, 7 * count) : sameDay(day, count));
    },
    show: (next: View) => void (view.value = next),
    /** Tries again after reading has failed. */
    again: () => void posts.load(month.value),

    /** Picks a post up to move it to another day. Returns false if it cannot be moved. */
    pickUp(id: string, from: string, by: Carried['by']): boolean {
      const post = posts.posts.value.get(id);
      moving.forgive();
      if (post === undefined || !moving.mayMove) return false;
      if (!moving.isMovable(post)) {
        refuse(post, `Not moved: what is ${post.status} stays where it is.`);
        return false;
      }
      carried.value = { id, from, over: from, by };
      spoken.value = 'Picked up. Arrow keys choose a day, Enter drops it, Escape leaves it where it was.';
      return true;
    },
    /** Moves the post over a day. With a pointer, the month stays, because other days are only crossed. */
    carryOver(day: string): void {
      const held = carried.value;
      if (held === undefined) return;
      carried.value = { ...held, over: day };
      if (held.by === 'keys') goTo(day, held.id);
      const { length } = posts.entriesOf(day);
      spoken.value = `${longDay(day)}${day < today() ? ', past' : ''}, ${counted(length, 'post')}.`;
    },
    putBack(): void {
      const held = carried.value;
      carried.value = undefined;
      if (held?.by === 'keys') goTo(held.from, held.id);
      spoken.value = 'Left where it was.';
    },
    putDown(day: string): void {
      const held = carried.value;
      carried.value = undefined;
      const post = held && posts.posts.value.get(held.id);
      if (held === undefined || post === undefined) return;
      if (held.by === 'keys') goTo(held.from, held.id);
      if (day !== held.from) putOn(post, day);
    },
  };
}
