import { computed, signal } from '@preact/signals';
import type { Post } from '../../lib/operations.ts';
import { EDITABLE } from '../../lib/posts/states.ts';
import type { WallTime } from '../../lib/time.ts';
import { draftOf, isBlank, type Draft } from '../draft.ts';
import type { Unanswered } from './once.ts';
import { lostOf, takingComment, type Destination, type Rules } from '../rules.ts';

export type StateDeps = Readonly<{
  destinations: readonly Destination[];
  constraints: Readonly<Record<string, Rules>>;
  /** The post being edited, if it exists. */
  post: Post | undefined;
  /** The post that a new one is like. */
  copied: Post | undefined;
  start: Draft;
  wallOf(instant: string): WallTime;
}>;

/** Whether a post, or a new one, can still be changed. */
export const isEditable = (post: Post | undefined): boolean => post === undefined || EDITABLE.has(post.status);

export function makeState({ destinations, constraints, post: given, copied, start, wallOf }: StateDeps) {
  /** The local time of an instant, as drafts have it. */
  function whenOf(instant: string): string {
    const { day, time } = wallOf(instant);
    return `${day}T${time}`;
  }

  const post = signal(given);
  const all = computed(() => [
    ...destinations,
    ...lostOf((post.value ?? copied)?.targets ?? [], destinations, constraints),
  ]);
  const byId = computed(() => new Map(all.value.map((one) => [one.id, one])));
  const fromPost = (one: Post): Draft =>
    draftOf(one, one.scheduled_at === null ? start.when : whenOf(one.scheduled_at), takingComment(all.value));

  const begin = given === undefined ? start : fromPost(given);
  const draft = signal(begin);
  const clean = signal(begin);
  return {
    byId,
    /** What can be chosen, and what was chosen of the rest. */
    destinations: computed(() => {
      const chosen = new Set([...clean.value.chosen, ...draft.value.chosen]);
      return all.value.filter(({ id, isOff }) => isOff !== true || chosen.has(id));
    }),
    fromPost,
    whenOf,
    post,
    draft,
    /** What is stored, to detect changes. */
    clean,
    /** The last known change of the post. */
    base: signal(given?.updated_at),
    /** The post as others left it meanwhile. */
    elsewhere: signal<Post | undefined>(undefined),
    unanswered: signal<Unanswered | undefined>(undefined),
    isRestored: signal(false),
    keeping: signal<'' | 'writing' | 'kept'>(''),
    problem: signal<string | undefined>(undefined),
    /** The post was left: nothing of the draft is to be kept. */
    isGone: signal(false),
    targets: computed(() => draft.value.chosen.flatMap((id) => byId.value.get(id) ?? [])),
    isEmpty: computed(() => isBlank(draft.value)),
  };
}

export type State = ReturnType<typeof makeState>;
