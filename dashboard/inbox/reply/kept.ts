import type { Store } from './drafts.ts';

type Kept = Readonly<{ id: string; at: number }>;

/** Things on this device, each under its own name so that tabs leave each other's alone. */
export function makeKept<One extends Kept>(store: Store, prefix: string) {
  function get(id: string): One | undefined {
    try {
      return (JSON.parse(store.getItem(prefix + id) ?? 'null') as One | null) ?? undefined;
    } catch {
      // Whatever stands there, it is none of ours.
      return undefined;
    }
  }

  return {
    get,
    /** The oldest first. */
    all(): readonly One[] {
      const names = Array.from({ length: store.length }, (_, at) => store.key(at) ?? '');
      const ids = names.flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));
      return ids.flatMap((id) => get(id) ?? []).toSorted((a, b) => a.at - b.at);
    },
    keep(one: One): void {
      try {
        store.setItem(prefix + one.id, JSON.stringify(one));
      } catch {
        // The device has no room: it is sent all the same.
      }
    },
    remove: (id: string): void => store.removeItem(prefix + id),
  };
}
