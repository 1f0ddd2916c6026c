import { keep, readKept } from '../../lib/frame/kept.ts';
import { EMPTY, type Draft } from '../draft.ts';
import type { Unanswered } from './once.ts';

/** Stores a draft on this device. */
export type Shelf = Readonly<{
  get(): Kept | undefined;
  /** Returns false if the storage of this device is full. */
  set(kept: Kept): boolean;
  remove(): void;
  /** Moves the stored draft to the post that it became. */
  moveTo(postId: string): void;
  isAt(key: string | null): boolean;
  /** Lets another tab continue the draft at once. */
  leave(): void;
}>;

/** A draft with the last change of its post, a request whose result is unknown, and the time of storing. */
type Kept = Readonly<{
  draft: Draft;
  base?: string | undefined;
  unanswered?: Unanswered | undefined;
  at?: number;
}>;

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** Storage for one slot. The slot is the id of the post, or for an unstored draft a name of the tab. */
export function makeShelf(store: Store, prefix: string, slot: string): Shelf {
  let place = prefix + slot;
  const get = () => keptAt(store, place);
  const set = (kept: Kept) => keep(store, place, kept);
  return {
    get,
    set,
    remove: () => store.removeItem(place),
    moveTo(postId) {
      const kept = store.getItem(place);
      store.removeItem(place);
      place = prefix + postId;
      if (kept !== null) store.setItem(place, kept);
    },
    isAt: (key) => key === place,
    leave() {
      const kept = get();
      if (kept !== undefined) set({ ...kept, at: 0 });
    },
  };
}

/** The draft that is stored under a name. */
export function keptAt(store: Pick<Storage, 'getItem'>, name: string): Kept | undefined {
  const kept = readKept<Kept>(store, name);
  return kept && { ...kept, draft: { ...EMPTY, ...kept.draft } };
}
