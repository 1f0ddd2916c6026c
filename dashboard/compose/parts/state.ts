import { computed, signal } from '@preact/signals';
import type { Post } from '../../lib/operations.ts';
import type { WallTime } from '../../lib/time.ts';
import { draftOf, isBlank, type Draft } from '../draft.ts';
import type { Destination } from '../rules.ts';

export type StateDeps = Readonly<{
  destinations: readonly Destination[];
  /** The post being edited, if it exists. */
  post: Post | undefined;
  start: Draft;
  wallOf(instant: string): WallTime;
}>;

export function makeState({ destinations, post: given, start, wallOf }: StateDeps) {
  const byId = new Map(destinations.map((one) => [one.id, one]));
  const known = new Set(byId.keys());

  function fromPost(post: Post): Draft {
    const wall = post.scheduled_at === null ? undefined : wallOf(post.scheduled_at);
    return draftOf(post, known, wall === undefined ? start.when : `${wall.day}T${wall.time}`);
  }

  const begin = given === undefined ? start : fromPost(given);
  const draft = signal(begin);
  return {
    byId,
    fromPost,
    post: signal(given),
    draft,
    /** What is stored, to detect changes. */
    clean: signal(begin),
    /** The last known change of the post. */
    base: signal(given?.updated_at),
    /** The post as others left it meanwhile. */
    elsewhere: signal<Post | undefined>(undefined),
    isRestored: signal(false),
    keeping: signal<'' | 'writing' | 'kept'>(''),
    problem: signal<string | undefined>(undefined),
    /** The post was left: nothing of the draft is to be kept. */
    isGone: signal(false),
    targets: computed(() => draft.value.chosen.flatMap((id) => byId.get(id) ?? [])),
    isEmpty: computed(() => isBlank(draft.value)),
  };
}

export type State = ReturnType<typeof makeState>;
