import { batch, computed, signal, type ReadonlySignal } from '@preact/signals';
import type { Say } from '../../lib/acting.ts';
import type { Call } from '../../lib/call.ts';
import type { LogEvent, Post } from '../../lib/operations.ts';
import type { Draft } from '../draft.ts';
import type { Shelf } from './shelf.ts';
import type { State } from './state.ts';

type FollowingDeps = Readonly<{
  call: Call;
  state: State;
  shelf: Shelf;
  isBusy: ReadonlySignal<boolean>;
  check(): void;
  later(run: () => void): void;
  say: Say;
  write(part: Partial<Draft>): void;
}>;

/** Follows changes of the post by another tab, person or assistant. */
export function makeFollowing({ call, state, shelf, isBusy, check, later, say, write }: FollowingDeps) {
  const { post, base, draft, clean, elsewhere, isRestored, keeping, problem, isGone, fromPost } = state;
  const isElsewhereOpen = signal(false);

  /** Shows the changed post if there are no local changes; otherwise lets the person decide. */
  async function look(post_id: string): Promise<void> {
    const theirs = await call('get_post', { post_id });
    if (theirs.updated_at === base.value || isBusy.value || isGone.value) return;
    if (draft.value === clean.value) take(theirs);
    else elsewhere.value = theirs;
  }

  function take(theirs: Post): void {
    batch(() => {
      post.value = theirs;
      base.value = theirs.updated_at;
      draft.value = fromPost(theirs);
      clean.value = draft.value;
      elsewhere.value = undefined;
      isRestored.value = false;
      keeping.value = '';
      problem.value = undefined;
    });
    check();
  }

  return {
    isElsewhereOpen: computed(() => isElsewhereOpen.value),

    /** Replaces the draft with the changed post. */
    takeTheirs(): void {
      const before = draft.value;
      shelf.remove();
      take(elsewhere.value!);
      say('What you wrote is replaced.', { undo: () => write(before) });
    },
    /** Keeps the draft. Storing it will overwrite the changes of others. */
    keepMine(): void {
      batch(() => {
        base.value = elsewhere.value!.updated_at;
        post.value = elsewhere.value;
        elsewhere.value = undefined;
      });
      // Stores the draft on this device with its new base.
      write({});
    },
    heardOfTab: () => void (isElsewhereOpen.value = true),
    heard({ category, resource_id }: LogEvent): void {
      if (category !== 'post' || resource_id === null || resource_id !== post.value?.id || isBusy.value) return;
      later(() => void look(resource_id).catch(() => undefined));
    },
  };
}
