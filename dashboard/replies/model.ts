import { computed, signal } from '@preact/signals';
import { makeActing, type Say } from '../lib/acting.ts';
import { isGone, type Call } from '../lib/call.ts';
import type { LogEvent, SavedReply } from '../lib/operations.ts';
import { found, sorted } from '../lib/replies/saved.ts';

type RepliesDeps = Readonly<{
  call: Call;
  first: readonly SavedReply[];
  newKey(): string;
  later(run: () => void): void;
  say: Say;
}>;

/** The content of the form. */
export type Written = Readonly<{ name: string; text: string; brand_id: string | null }>;

export function makeReplies({ call, first, newKey, later, say }: RepliesDeps) {
  const replies = signal(sorted(first));
  const typed = signal('');
  const editing = signal<ReadonlySet<string>>(new Set());
  /** Replies that somebody else has deleted while they are being edited here. */
  const gone = new Set<string>();
  const { isBusy, act } = makeActing({ call, newKey, say });

  const others = (but: string) => replies.value.filter(({ id }) => id !== but);
  const keep = (one: SavedReply) => void (replies.value = sorted([...others(one.id), one]));

  async function refresh(): Promise<void> {
    try {
      const { data } = await call('list_saved_replies', {});
      const read = new Set(data.map(({ id }) => id));
      const kept = replies.value.filter(({ id }) => editing.value.has(id) && !read.has(id));
      for (const { id } of kept) gone.add(id);
      replies.value = sorted([...data, ...kept]);
    } catch {
      // The list stays as it is. The next change is a reason to read again.
    }
  }

  const hits = computed(() => found(replies.value, typed.value));

  function leave(id: string): void {
    editing.value = new Set([...editing.value].filter((one) => one !== id));
    if (gone.delete(id)) replies.value = others(id);
  }

  return {
    isBusy,
    count: computed(() => replies.value.length),
    /** Replies that match the search. */
    hits,
    /** The matches, and all replies that are being edited, so that nothing typed is lost. */
    shown: computed(() => {
      const found = new Set(hits.value);
      return [...found, ...replies.value.filter((one) => editing.value.has(one.id) && !found.has(one))];
    }),
    typed: computed(() => typed.value),
    search: (words: string) => void (typed.value = words),

    async create(written: Written): Promise<boolean> {
      return act(async (callOnce) => {
        keep(await callOnce('create_saved_reply', written));
        typed.value = '';
        return `${written.name} is saved.`;
      });
    },

    isEdited: (id: string) => editing.value.has(id),
    edit: (id: string) => void (editing.value = new Set([...editing.value, id])),
    leave,
    async change(id: string, written: Written): Promise<boolean> {
      return act(async (callOnce) => {
        keep(await callOnce('update_saved_reply', { saved_reply_id: id, ...written }));
        leave(id);
        return `${written.name} is saved.`;
      });
    },

    async remove({ id, name }: SavedReply): Promise<void> {
      await act(async (callOnce) => {
        try {
          await callOnce('delete_saved_reply', { saved_reply_id: id });
        } catch (error) {
          // Somebody else has already deleted it, which is the desired result.
          if (!isGone(error)) throw error;
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
