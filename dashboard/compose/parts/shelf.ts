import { EMPTY, type Draft } from '../draft.ts';
import type { Unanswered } from './once.ts';

/** Local storage of a draft. */
export type Shelf = Readonly<{
  get(): string | null;
  set(text: string): void;
  remove(): void;
  /** Takes what is kept along to the post that the draft became. */
  moveTo(postId: string): void;
  isAt(key: string | null): boolean;
  /** Lets another tab go on with the draft at once. */
  leave(): void;
}>;

/** A draft, when its post was last changed, a request about it that was not answered, and when it was kept. */
export type Kept = Readonly<{
  draft: Draft;
  base?: string | undefined;
  unanswered?: Unanswered | undefined;
  at?: number;
}>;

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** Makes the shelf of a slot, named by the post's id, or else by the tab. */
export function makeShelf(store: Store, prefix: string, slot: string): Shelf {
  let place = prefix + slot;
  return {
    get: () => store.getItem(place),
    set: (text) => store.setItem(place, text),
    remove: () => store.removeItem(place),
    moveTo(postId) {
      const kept = store.getItem(place);
      store.removeItem(place);
      place = prefix + postId;
      if (kept !== null) store.setItem(place, kept);
    },
    isAt: (key) => key === place,
    leave() {
      const kept = keptIn(store.getItem(place));
      if (kept !== undefined) store.setItem(place, JSON.stringify({ ...kept, at: 0 }));
    },
  };
}

export const keepOn = (shelf: Shelf, kept: Kept): void => shelf.set(JSON.stringify(kept));

export const keptOn = (shelf: Shelf): Kept | undefined => keptIn(shelf.get());

/** What a text that was kept says. */
export function keptIn(text: string | null): Kept | undefined {
  try {
    const kept = JSON.parse(text ?? 'null') as Kept | null;
    return kept === null ? undefined : { ...kept, draft: { ...EMPTY, ...kept.draft } };
  } catch {
    // Whatever stands there, it is no draft of ours.
    return undefined;
  }
}
