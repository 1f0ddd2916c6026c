import { batch } from '@preact/signals';
import type { Say } from '../../lib/acting.ts';
import type { Call } from '../../lib/call.ts';
import type { Post } from '../../lib/operations.ts';
import { contentOf, isTimed, untimed, type AltNames } from '../draft.ts';
import { makeOnce } from './once.ts';
import type { Shelf } from './shelf.ts';
import type { State } from './state.ts';

export type StoringDeps = Readonly<{
  call: Call;
  newKey(): string;
  now(): number;
  altNames: AltNames;
  shelf: Shelf;
  say: Say;
  /** Called when the draft has become a post. */
  stored(post: Post): void;
  /** Opens the post's page, with a message. */
  leave(postId: string, words: string): void;
}>;

type Timing = Readonly<{ scheduled_at?: string | null }>;

/** Stores the draft on the server, and removes the local copy. */
export function makeStoring(deps: StoringDeps, state: State, keepNow: () => void) {
  const { call, newKey, now, altNames, shelf, say, stored, leave } = deps;
  const { post, draft, base, clean, isRestored, keeping, isGone, byId, unanswered } = state;
  const content = () => contentOf(draft.value, byId.value, altNames);

  function keep(): void {
    keeping.value = 'writing';
    keepNow();
  }

  /** Continues with the server's version of the post. */
  function become(fresh: Post): void {
    const isNew = post.value === undefined;
    batch(() => {
      post.value = fresh;
      base.value = fresh.updated_at;
    });
    if (!isNew) return;
    shelf.moveTo(fresh.id);
    stored(fresh);
  }

  function done(postId: string, words: string): void {
    isGone.value = true;
    shelf.remove();
    leave(postId, words);
  }

  const once = makeOnce({ call, newKey, now, unanswered, keep });
  return {
    content,
    once,
    keep,
    become,

    async store(timing: Timing): Promise<Post> {
      const written = draft.value;
      const input = { ...content(), ...timing };
      // The times of single accounts would schedule a new post, so it is first created without them.
      const isNewDraft = post.value === undefined && timing.scheduled_at === undefined;
      if (isNewDraft && isTimed(input)) become(await once.create(untimed(input)));
      const fresh =
        post.value === undefined
          ? await once.create(input)
          : await call('update_post', { post_id: post.value.id, ...input, if_updated_at: base.value });
      become(fresh);
      clean.value = written;
      return fresh;
    },
    /** Continues with the stored post, and keeps what has been written since. */
    settle(words: string): void {
      isRestored.value = false;
      keep();
      say(words);
    },
    done,
    sent: ({ id, status }: Post) => done(id, status === 'published' ? 'Published.' : 'Sent; the outcome appears here.'),
  };
}
