import { boundedMap } from '#kernel/limits/bounded-map.ts';
import type { Store } from '../store/open.ts';

/** Caches keys, users, workspaces and connections until one changes, in this process (`forget`) or in another. */
export function rememberUntilChanged<T extends object>(store: Pick<Store, 'changed'>, most: number) {
  const known = boundedMap<string, T>(most);
  let seen: number | undefined;
  let forgotten = 0;

  return Object.freeze({
    forget(): void {
      forgotten += 1;
      known.clear();
    },

    /** Returns a cached value without a promise, because every request calls this. */
    of(key: string, read: () => Promise<T>): T | Promise<T> {
      const changed = store.changed();
      return typeof changed === 'number' ? at(changed, key, read) : changed.then((version) => at(version, key, read));
    },
  });

  function at(version: number, key: string, read: () => Promise<T>): T | Promise<T> {
    if (version !== seen) {
      seen = version;
      known.clear();
    }
    return known.get(key) ?? keep(version, key, read);
  }

  async function keep(version: number, key: string, read: () => Promise<T>): Promise<T> {
    const before = forgotten;
    const found = await read();
    // Do not cache what was read before a change, or a revoked key would keep working.
    if (before === forgotten && version === seen) known.set(key, found);
    return found;
  }
}
