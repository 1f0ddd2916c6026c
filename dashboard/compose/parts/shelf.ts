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
}>;

/** A draft, when its post was last changed, and a request about it that was not answered. */
export type Kept = Readonly<{ draft: Draft; base?: string | undefined; unanswered?: Unanswered | undefined }>;

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
  };
}

export const keepOn = (shelf: Shelf, kept: Kept): void => shelf.set(JSON.stringify(kept));

export function keptOn(shelf: Shelf): Kept | undefined {
  try {
    const kept = JSON.parse(shelf.get() ?? 'null') as Kept | null;
    return kept === null ? undefined : { ...kept, draft: { ...EMPTY, ...kept.draft } };
  } catch {
    // Whatever stands there, it is no draft of ours.
    return undefined;
  }
}
