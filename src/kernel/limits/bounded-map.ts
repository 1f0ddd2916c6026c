/** A map with at most `most` entries; beyond that, the entry set longest ago is dropped. */
export function boundedMap<K, V>(most: number) {
  const entries = new Map<K, V>();
  return Object.freeze({
    get: (key: K): V | undefined => entries.get(key),
    set(key: K, value: V): void {
      entries.delete(key);
      entries.set(key, value);
      if (entries.size > most) entries.delete(entries.keys().next().value!);
    },
    delete: (key: K): void => void entries.delete(key),
    clear: (): void => entries.clear(),
  });
}
