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
  /** The post that a new one copies. */
  copied: Post | undefined;
  start: Draft;
  wallOf(instant: string): WallTime;
}>;

/** Whether a post can still be changed; a new one can. */
export const isEditable = (post: Post | undefined): boolean => post === undefined || EDITABLE.has(post.status);

export function makeState({ destinations, constraints, post: given, copied, start, wallOf }: StateDeps) {
  /** The local time of an instant, in the format of drafts. */
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
    /** Destinations that can be chosen, and chosen ones that no longer can. */
    destinations: computed(() => {
      const chosen = new Set([...clean.value.chosen, ...draft.value.chosen]);
      return all.value.filter(({ id, isOff }) => isOff !== true || chosen.has(id));
    }),
    fromPost,
    whenOf,
    post,
    draft,
    /** The stored state, to detect changes. */
    clean,
    /** When the post was last changed, as far as this page knows. */
    base: signal(given?.updated_at),
    /** The post after somebody else has changed it. */
    elsewhere: signal<Post | undefined>(undefined),
    unanswered: signal<Unanswered | undefined>(undefined),
    isRestored: signal(false),
    keeping: signal<'' | 'writing' | 'kept' | 'full'>(''),
    problem: signal<string | undefined>(undefined),
    /** Whether the page is being left, so that the draft must not be stored again. */
    isGone: signal(false),
    targets: computed(() => draft.value.chosen.flatMap((id) => byId.value.get(id) ?? [])),
    isEmpty: computed(() => isBlank(draft.value)),
  };
}

export type State = ReturnType<typeof makeState>;
