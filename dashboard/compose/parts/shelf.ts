import { readKept } from '../../lib/frame/kept.ts';
import { EMPTY, type Draft } from '../draft.ts';
import type { Unanswered } from './once.ts';

/** Local storage of a draft. */
export type Shelf = Readonly<{
  get(): Kept | undefined;
  set(kept: Kept): void;
  remove(): void;
  /** Takes what is kept along to the post that the draft became. */
  moveTo(postId: string): void;
  isAt(key: string | null): boolean;
  /** Lets another tab go on with the draft at once. */
  leave(): void;
}>;

/** A draft, when its post was last changed, a request about it that was not answered, and when it was kept. */
type Kept = Readonly<{
  draft: Draft;
  base?: string | undefined;
  unanswered?: Unanswered | undefined;
  at?: number;
}>;

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** Makes the shelf of a slot, named by the post's id, or else by the tab. */
export function makeShelf(store: Store, prefix: string, slot: string): Shelf {
  let place = prefix + slot;
  const get = () => keptAt(store, place);
  const set = (kept: Kept) => store.setItem(place, JSON.stringify(kept));
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

/** The draft that is kept under a name. */
export function keptAt(store: Pick<Storage, 'getItem'>, name: string): Kept | undefined {
  const kept = readKept<Kept>(store, name);
  return kept && { ...kept, draft: { ...EMPTY, ...kept.draft } };
}
