/** What is kept under a name on this device; undefined where nothing is, or nothing of ours. */
export function readKept<T>(store: Pick<Storage, 'getItem'>, name: string): T | undefined {
  try {
    return (JSON.parse(store.getItem(name) ?? 'null') as T | null) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Keeps something under a name; a device without room keeps it no longer than the page does. */
export function keep(store: Pick<Storage, 'setItem'>, name: string, one: object): void {
  try {
    store.setItem(name, JSON.stringify(one));
  } catch {
    // There is no room.
  }
}
