import { computed, signal } from '@preact/signals';
import { makeActing, type Say } from '../lib/acting.ts';
import { RefusedError, type Call } from '../lib/call.ts';
import type { LogEvent, SavedReply } from '../lib/operations.ts';
import { found, sorted } from '../lib/replies/saved.ts';

type RepliesDeps = Readonly<{
  call: Call;
  first: readonly SavedReply[];
  newKey(): string;
  later(run: () => void): void;
  say: Say;
}>;

/** What is written into the form. */
export type Written = Readonly<{ name: string; text: string; brand_id: string | null }>;

export function makeReplies({ call, first, newKey, later, say }: RepliesDeps) {
  const replies = signal(sorted(first));
  const typed = signal('');
  const editing = signal<string | undefined>(undefined);
  const asked = signal<SavedReply | undefined>(undefined);
  const { isBusy, act } = makeActing({ call, newKey, say });

  const others = (gone: string) => replies.value.filter(({ id }) => id !== gone);
  const keep = (one: SavedReply) => void (replies.value = sorted([...others(one.id), one]));

  async function refresh(): Promise<void> {
    try {
      replies.value = sorted((await call('list_saved_replies', {})).data);
    } catch {
      // What is shown stays, and the next change is read again.
    }
  }

  return {
    isBusy,
    count: computed(() => replies.value.length),
    /** Those that have what is searched for. */
    shown: computed(() => found(replies.value, typed.value)),
    typed: computed(() => typed.value),
    search: (words: string) => void (typed.value = words),

    async create(written: Written): Promise<boolean> {
      return act(async (callOnce) => {
        keep(await callOnce('create_saved_reply', written));
        typed.value = '';
        return `${written.name} is saved.`;
      });
    },

    /** The one that is being changed. */
    editing: computed(() => editing.value),
    edit: (id: string | undefined) => void (editing.value = id),
    async change(id: string, written: Written): Promise<boolean> {
      return act(async (callOnce) => {
        keep(await callOnce('update_saved_reply', { saved_reply_id: id, ...written }));
        editing.value = undefined;
        return `${written.name} is saved.`;
      });
    },

    /** The one whose deletion is asked about. */
    asked: computed(() => asked.value),
    ask: (one: SavedReply) => void (asked.value = one),
    dismiss: () => void (asked.value = undefined),
    async remove(): Promise<void> {
      const { id, name } = asked.value!;
      asked.value = undefined;
      await act(async (callOnce) => {
        try {
          await callOnce('delete_saved_reply', { saved_reply_id: id });
        } catch (error) {
          // Somebody else was first: it is gone, as it should be.
          if (!(error instanceof RefusedError) || error.status !== 404) throw error;
        }
        replies.value = others(id);
        return `${name} is deleted.`;
      });
    },

    heard({ action }: LogEvent): void {
      if (action.startsWith('saved_reply_')) later(() => void refresh());
    },
  };
}
