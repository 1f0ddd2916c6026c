import * as z from 'zod';
import type { PlatformError } from '../errors.ts';
import { isRefusal } from '../retry-policy.ts';

/** A page of one list, newest first, from a position on; entries that could not be read are undefined. */
export type ListPage<T> = Readonly<{ items: readonly (T | undefined)[]; isLast: boolean }>;

const Positions = z.array(z.int().nonnegative());

/**
 * One page of several lists in the order of time, newest first. The cursor holds the position in each of them, so that
 * none keeps another one out; nor does one that the platform refuses, unless it refuses all.
 */
export async function mergedPage<T>(
  lists: readonly ((offset: number) => Promise<ListPage<T>>)[],
  timeOf: (item: T) => number,
  { limit, cursor }: Readonly<{ limit: number; cursor?: string | undefined }>,
): Promise<Readonly<{ items: readonly T[]; cursor: string | undefined }>> {
  const from = lists.map((_, list) => positionsIn(cursor)[list] ?? 0);
  const refusals: PlatformError[] = [];
  const readOne = async (read: (typeof lists)[number], list: number): Promise<ListPage<T>> => {
    try {
      return await read(from[list]!);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      refusals.push(error);
      return { items: [], isLast: true };
    }
  };
  const pages = await Promise.all(lists.map(readOne));
  if (refusals.length === lists.length) throw refusals[0]!;
  const all = pages.flatMap(({ items }, list) =>
    items.flatMap((item, index) => (item === undefined ? [] : [{ item, list, next: from[list]! + index + 1 }])),
  );
  const taken = all.toSorted((one, other) => timeOf(other.item) - timeOf(one.item)).slice(0, limit);
  const isAll = taken.length === all.length;
  const next = pages.map(({ items }, list) => {
    const last = taken.findLast((one) => one.list === list);
    return isAll ? from[list]! + items.length : (last?.next ?? from[list]!);
  });
  const isEnd = isAll && pages.every(({ isLast }) => isLast);
  return { items: taken.map(({ item }) => item), cursor: isEnd ? undefined : JSON.stringify(next) };
}

function positionsIn(cursor: string | undefined): readonly number[] {
  try {
    return Positions.safeParse(JSON.parse(cursor ?? '[]')).data ?? [];
  } catch {
    return [];
  }
}
