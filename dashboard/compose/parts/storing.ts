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
  /** Shows a post, and says what became of it there. */
  leave(postId: string, words: string): void;
}>;

type Timing = Readonly<{ scheduled_at?: string | null }>;

/** How what is written gets to the server, and is kept nowhere else any more then. */
export function makeStoring({ call, altNames, shelf, say, leave }: StoringDeps, state: State) {
  const { post, draft, base, clean, isRestored, keeping, isGone, byId } = state;
  const content = () => contentOf(draft.value, byId, altNames);

  return {
    content,

    /** Stores the draft: as a new post, or in the place of what its post said. */
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
    /** The page goes on with the post that is stored. */
    settle(words: string): void {
      shelf.remove();
      keeping.value = '';
      isRestored.value = false;
      say(words);
    },
    /** The page is left for the post. */
    done(postId: string, words: string): void {
      isGone.value = true;
      shelf.remove();
      leave(postId, words);
    },
  };
}
