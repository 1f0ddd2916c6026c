import * as z from 'zod';
import type { SkippedPage } from '../inbound.ts';
import { isRefusal } from '../retry-policy.ts';

/** A page of one list, newest first; entries that could not be parsed are undefined. */
export type ListPage<T> = Readonly<{ items: readonly (T | undefined)[]; isLast: boolean }>;

const Positions = z.array(z.int().nonnegative());

export type Merged<T> = Readonly<{
  items: readonly T[];
  cursor: string | undefined;
  /** The lists that the platform refused, by name. */
  skipped: readonly SkippedPage[];
}>;

/** Merges several lists, newest first. The cursor holds the position in each; refused lists are skipped. */
export async function mergedPage<T>(
  lists: Readonly<Record<string, (offset: number) => Promise<ListPage<T>>>>,
  timeOf: (item: T) => number,
  { limit, cursor }: Readonly<{ limit: number; cursor?: string | undefined }>,
): Promise<Merged<T>> {
  const reads = Object.entries(lists);
  const from = reads.map((_, list) => positionsIn(cursor)[list] ?? 0);
  const skipped: SkippedPage[] = [];
  const readOne = async ([name, read]: (typeof reads)[number], list: number): Promise<ListPage<T>> => {
    try {
      return await read(from[list]!);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      skipped.push({ page: name, error });
      return { items: [], isLast: true };
    }
  };
  const pages = await Promise.all(reads.map(readOne));
  if (skipped.length === reads.length) throw skipped[0]!.error;
  const all = pages.flatMap(({ items }, list) =>
    items.flatMap((item, index) => (item === undefined ? [] : [{ item, list, next: from[list]! + index + 1 }])),
  );
  const taken = all.toSorted((one, other) => timeOf(other.item) - timeOf(one.item)).slice(0, limit);
  const isAll = taken.length === all.length;
  const next = pages.map(({ items }, list) => {
    const last = taken.findLast((one) => one.list === list);
    return isAll ? from[list]! + items.length : (last?.next ?? from[list]!);
  });
  // An empty page ends its list, because its position would stay the same.
  const isEnd = isAll && pages.every(({ items, isLast }) => isLast || items.length === 0);
  return { items: taken.map(({ item }) => item), cursor: isEnd ? undefined : JSON.stringify(next), skipped };
}

function positionsIn(cursor: string | undefined): readonly number[] {
  try {
    return Positions.safeParse(JSON.parse(cursor ?? '[]')).data ?? [];
  } catch {
    return [];
  }
}
