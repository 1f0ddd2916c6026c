/** A map that keeps the `most` entries that were set last. */
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
