import { ReadFailure } from '../provider.ts';

/** A list with more pages is assumed to be endless. */
const MOST_PAGES = 50;

type Item = Readonly<{ _id: string }>;
type Page<T> = Readonly<{ items: readonly T[]; isLast: boolean }>;

/** Reads a list from page 1 until a page is the last one or contains nothing new. */
export async function everyPage<T extends Item>(read: (page: number) => Promise<Page<T>>): Promise<readonly T[]> {
  const found = new Map<string, T>();
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const before = found.size;
    const { items, isLast } = await read(page);
    for (const item of items) found.set(item._id, item);
    if (isLast || found.size === before) return [...found.values()];
  }
  throw new ReadFailure('migration.source_unavailable');
}
