import { signal, type Signal } from '@preact/signals';
import { keep, readKept } from '../../lib/frame/kept.ts';

/** A reply that has been typed but not sent. */
export type Draft = Readonly<{
  text: string;
  /** The comment it replies to, if that is not the open one. */
  to?: string | undefined;
  isPrivate?: boolean | undefined;
  /** Buttons that the recipient can press instead of writing. */
  choices?: Readonly<{ as: 'quick_replies' | 'buttons'; rows: readonly Choice[] }> | undefined;
}>;

/** A button that replies with its title or opens a URL. */
export type Choice = Readonly<{ title: string; url?: string }>;

export type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

const EMPTY: Draft = { text: '' };

/** Unsent replies, stored on this device by thread. */
export function makeDrafts(store: Store, prefix: string) {
  const drafts = new Map<string, Signal<Draft>>();

  function draftOf(key: string): Signal<Draft> {
    const known = drafts.get(key);
    if (known !== undefined) return known;
    const made = signal({ ...EMPTY, ...readKept<Draft>(store, prefix + key) });
    drafts.set(key, made);
    return made;
  }

  return {
    of: (key: string): Signal<Draft> => draftOf(key),
    write(key: string, change: Partial<Draft>): void {
      const draft = draftOf(key);
      draft.value = { ...draft.value, ...change };
      if (Object.values(draft.value).every((field) => !field)) store.removeItem(prefix + key);
      else keep(store, prefix + key, draft.value);
    },
    clear(key: string): void {
      draftOf(key).value = EMPTY;
      store.removeItem(prefix + key);
    },
  };
}
