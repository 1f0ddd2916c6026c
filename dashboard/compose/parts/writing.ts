import { batch } from '@preact/signals';
import type { Say } from '../../lib/acting.ts';
import { isSame, type Draft } from '../draft.ts';
import type { Shelf } from './shelf.ts';
import type { State } from './state.ts';

type WritingDeps = Readonly<{
  state: State;
  start: Draft;
  /** The requested time, which takes precedence over that of a stored draft. */
  at: string | undefined;
  shelf: Shelf;
  check(): void;
  later(run: () => void): void;
  now(): number;
  say: Say;
}>;

/** Changes a draft. Each change is stored on this device and checked. */
export function makeWriting({ state, start, at, shelf, check, later, now, say }: WritingDeps) {
  const { draft, post, base, clean, elsewhere, isRestored, keeping, problem, isGone, fromPost, unanswered } = state;

  function keepNow(): void {
    if (isGone.value || keeping.value !== 'writing') return;
    const isWritten = unanswered.value !== undefined || !isSame(draft.value, clean.value);
    const kept = { draft: draft.value, base: base.value, unanswered: unanswered.value, at: now() };
    if (isWritten) {
      keeping.value = shelf.set(kept) ? 'kept' : 'full';
    } else {
      shelf.remove();
      keeping.value = '';
    }
  }

  function write(part: Partial<Draft>): void {
    batch(() => {
      draft.value = { ...draft.value, ...part };
      keeping.value = 'writing';
      problem.value = undefined;
    });
    later(keepNow);
    check();
  }

  return {
    write,
    keepNow,

    /** Restores a draft that was not stored on the server before the page was left. */
    restore(): void {
      const kept = shelf.get();
      unanswered.value = kept?.unanswered;
      if (kept !== undefined && !isSame(kept.draft, draft.value)) {
        draft.value = at === undefined ? kept.draft : { ...kept.draft, when: at };
        isRestored.value = true;
        if (kept.base !== base.value) elsewhere.value = post.value;
      }
      check();
    },
    startAnew(): void {
      const before = { draft: draft.value, unanswered: unanswered.value };
      shelf.remove();
      batch(() => {
        draft.value = post.value === undefined ? start : fromPost(post.value);
        clean.value = draft.value;
        isRestored.value = false;
        elsewhere.value = undefined;
        unanswered.value = undefined;
        keeping.value = '';
      });
      check();
      const undo = () => {
        unanswered.value = before.unanswered;
        write(before.draft);
      };
      say('Thrown away.', { undo });
    },
    /** Stores the draft again after another tab has removed it. */
    keepAgain(): void {
      if (keeping.value === 'kept') keeping.value = 'writing';
      keepNow();
    },

    toggle(id: string): void {
      const { chosen } = draft.value;
      write({ chosen: chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id] });
    },
    /** Chooses all of these accounts or none of them. */
    choose(ids: readonly string[], areChosen: boolean): void {
      const others = draft.value.chosen.filter((id) => !ids.includes(id));
      write({ chosen: areChosen ? [...others, ...ids] : others });
    },
    /** Sets the common text (no `id`), or the text of one destination. */
    say(id: string | undefined, text: string): void {
      write(id === undefined ? { text } : { instead: { ...draft.value.instead, [id]: text } });
    },
    setOption(platform: string, name: string, value: unknown): void {
      const set = { ...draft.value.options[platform], [name]: value };
      const options = Object.fromEntries(Object.entries(set).filter(([, one]) => one !== undefined));
      write({ options: { ...draft.value.options, [platform]: options } });
    },
    toggleComment(): void {
      const { comment } = draft.value;
      write({ comment: comment === undefined ? '' : undefined });
      if (comment?.trim()) say('The first comment is removed.', { undo: () => write({ comment }) });
    },
    removePart(at: number): void {
      const part = draft.value.parts[at]!;
      write({ parts: draft.value.parts.toSpliced(at, 1) });
      const undo = () => write({ parts: draft.value.parts.toSpliced(at, 0, part) });
      if (part.text.trim() !== '' || part.media.length > 0) say(`Post ${at + 2} of the thread is removed.`, { undo });
    },
  };
}
