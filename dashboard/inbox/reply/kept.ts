import { keep, readKept } from '../../lib/frame/kept.ts';
import type { Store } from './drafts.ts';

type Kept = Readonly<{ id: string; at: number }>;

/** Records on this device, each under a name of its own so that tabs do not overwrite each other's. */
export function makeKept<One extends Kept>(store: Store, prefix: string) {
  const get = (id: string): One | undefined => readKept(store, prefix + id);

  return {
    get,
    /** All records, oldest first. */
    all(): readonly One[] {
      const names = Array.from({ length: store.length }, (_, at) => store.key(at) ?? '');
      const ids = names.flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));
      return ids.flatMap((id) => get(id) ?? []).toSorted((a, b) => a.at - b.at);
    },
    keep: (one: One): void => void keep(store, prefix + one.id, one),
    remove: (id: string): void => store.removeItem(prefix + id),
  };
}
