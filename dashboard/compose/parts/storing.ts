import { batch } from '@preact/signals';
import type { Call } from '../../lib/call.ts';
import type { Post } from '../../lib/operations.ts';
import type { KeyFor } from './acts.ts';
import { contentOf, type AltNames } from '../draft.ts';
import type { Shelf } from './shelf.ts';
import type { State } from './state.ts';

export type StoringDeps = Readonly<{
  call: Call;
  altNames: AltNames;
  shelf: Shelf;
  say(text: string): void;
  /** Opens the post's page, with a message. */
  leave(postId: string, words: string): void;
}>;

type Timing = Readonly<{ scheduled_at?: string | null }>;

/** Stores the draft on the server, and removes the local copy. */
export function makeStoring({ call, altNames, shelf, say, leave }: StoringDeps, state: State) {
  const { post, draft, base, clean, isRestored, keeping, isGone, byId } = state;
  const content = () => contentOf(draft.value, byId, altNames);

  return {
    content,

    /** Stores the draft as a new post or a change of its post. */
    async store(keyFor: KeyFor, timing: Timing): Promise<Post> {
      const written = draft.value;
      const input = { ...content(), ...timing };
      const fresh =
        post.value === undefined
          ? await call('create_post', input, keyFor(input))
          : await call('update_post', { post_id: post.value.id, ...input, if_updated_at: base.value });
      batch(() => {
        post.value = fresh;
        base.value = fresh.updated_at;
        clean.value = written;
      });
      return fresh;
    },
    /** Continues with the stored post. */
    settle(words: string): void {
      shelf.remove();
      keeping.value = '';
      isRestored.value = false;
      say(words);
    },
    done(postId: string, words: string): void {
      isGone.value = true;
      shelf.remove();
      leave(postId, words);
    },
  };
}
