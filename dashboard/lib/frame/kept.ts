/** Reads a value that is stored on this device; undefined if there is none or it is not valid JSON. */
export function readKept<T>(store: Pick<Storage, 'getItem'>, name: string): T | undefined {
  try {
    return (JSON.parse(store.getItem(name) ?? 'null') as T | null) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Stores a value on this device. Returns false if the storage is full; the value then lasts as long as the page. */
export function keep(store: Pick<Storage, 'setItem'>, name: string, one: object): boolean {
  try {
    store.setItem(name, JSON.stringify(one));
    return true;
  } catch {
    return false;
  }
}
