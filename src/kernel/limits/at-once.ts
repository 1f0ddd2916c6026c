/** Runs an asynchronous function for each item, for at most `most` at the same time. Returns the results in order. */
export async function mapAtOnce<T, R>(
  items: readonly T[],
  most: number,
  run: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  // All workers take from the same iterator.
  const left = items.entries();
  async function work(): Promise<void> {
    for (const [at, item] of left) results[at] = await run(item);
  }
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, work));
  return results;
}
