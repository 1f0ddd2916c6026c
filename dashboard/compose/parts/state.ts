import { computed, signal } from '@preact/signals';
import type { Post } from '../../lib/operations.ts';
import type { WallTime } from '../../lib/time.ts';
import { draftOf, isBlank, type Draft } from '../draft.ts';
import type { Destination } from '../rules.ts';

export type StateDeps = Readonly<{
  destinations: readonly Destination[];
  /** The post that is written on, if there is one already. */
  post: Post | undefined;
  /** What a new post begins with. */
  start: Draft;
  wallOf(instant: string): WallTime;
}>;

/** What is known of a post that is being written; its parts change it. */
export function makeState({ destinations, post: given, start, wallOf }: StateDeps) {
  const byId = new Map(destinations.map((one) => [one.id, one]));
  const known = new Set(byId.keys());

  /** A post as it is written on. */
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
    /** What is stored of it, to tell whether something was written since. */
    clean: signal(begin),
    /** When the post had been changed last as far as this page knows. */
    base: signal(given?.updated_at),
    /** The post as others left it meanwhile. */
    elsewhere: signal<Post | undefined>(undefined),
    isRestored: signal(false),
    keeping: signal<'' | 'writing' | 'kept'>(''),
    problem: signal<string | undefined>(undefined),
    /** The post is done with: what was written is nothing to keep any more. */
    isGone: signal(false),
    targets: computed(() => draft.value.chosen.flatMap((id) => byId.get(id) ?? [])),
    isEmpty: computed(() => isBlank(draft.value)),
  };
}

export type State = ReturnType<typeof makeState>;
