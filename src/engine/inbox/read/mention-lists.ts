import type { AccountRow } from '#db/access/accounts.ts';
import type { PageRow } from '#db/access/pages.ts';
import { NEVER } from '#db/schema/database.ts';
import type { Store } from '#db/store/store.ts';
import type { Clock } from '#kernel/clock.ts';
import { ApiError } from '#kernel/errors.ts';
import { chunksOf } from '#kernel/limits/chunks.ts';
import type { Position } from '#kernel/pagination.ts';
import type { SkippedPage } from '#platforms/inbound.ts';
import type { Mentions } from '#platforms/interactions.ts';
import type { PlatformMention } from '#platforms/inbox-types.ts';
import { isRefusal } from '#platforms/retry-policy.ts';
import { record } from '../record/record.ts';
import type { Lookup } from './lookup.ts';

const ABREAST = 4;

type List = NonNullable<Mentions['list']>;

/** The cursor of a platform list that has more items, and the time from which on all its items are stored. */
export type PageCursor = Readonly<{ page: string | null; cursor: string | null; floor: number }>;

type ReadResult = Readonly<{
  /** Lists with more items. */
  left: readonly PageCursor[];
  /** Lists that the platform refused; they are read again with the next page of our list. */
  again: readonly PageCursor[];
  skipped: readonly SkippedPage[];
  /** One error for each refused list. */
  refusals: readonly ApiError[];
}>;

type Read = ReadResult & Readonly<{ items: readonly PlatformMention[] }>;

/** The cursors for reading the lists of an account from the start. */
export function freshPageCursors(pages: readonly PageRow[], hasPages: boolean): readonly PageCursor[] {
  const active = pages.filter(({ is_active }) => is_active === 1).map(({ platform_page_id }) => platform_page_id);
  return (hasPages ? active : [null]).map((page) => ({ page, cursor: null, floor: NEVER }));
}

/** The time from which on all items of all lists are stored; undefined if every item is. */
export function floorOf(pageCursors: readonly PageCursor[]): number | undefined {
  return pageCursors.length === 0 ? undefined : Math.max(...pageCursors.map(({ floor }) => floor));
}

export function makeMentionLists({ store, clock, lookup }: Readonly<{ store: Store; clock: Clock; lookup: Lookup }>) {
  async function read(
    account: AccountRow,
    list: List,
    pageCursor: PageCursor,
    { limit, since }: Readonly<{ limit: number; since: number | undefined }>,
  ): Promise<Read> {
    // One more than needed, as further items may have the same time.
    const request = { limit: Math.min(limit + 1, 100), cursor: pageCursor.cursor ?? undefined, since };
    let listed: Awaited<ReturnType<List>>;
    try {
      listed = await lookup.callPlatform(account, (call) =>
        list(call, { ...request, page: pageCursor.page ?? undefined }),
      );
    } catch (error) {
      if (!(error instanceof ApiError) || !isRefusal(error.cause)) throw error;
      const skipped = pageCursor.page === null ? [] : [{ page: pageCursor.page, error: error.cause }];
      return { items: [], left: [], again: [pageCursor], skipped, refusals: [error] };
    }
    const oldest = listed.items.reduce((least, { created_at: at }) => Math.min(least, at), NEVER);
    const { items, cursor, skipped = [] } = listed;
    const isOver = cursor === undefined || (since !== undefined && oldest <= since);
    const floor = Math.min(pageCursor.floor, oldest === NEVER ? NEVER : oldest + 1);
    const left = isOver ? [] : [{ page: pageCursor.page, cursor, floor }];
    return { items, left, again: isOver && skipped.length > 0 ? [pageCursor] : [], skipped, refusals: [] };
  }

  /** Reads the next page of those lists that are furthest behind. */
  return async function readOn(
    account: AccountRow,
    list: List,
    pageCursors: readonly PageCursor[],
    request: Readonly<{ limit: number; since: number | undefined }>,
  ): Promise<ReadResult> {
    const behind = pageCursors.filter(({ floor }) => floor === floorOf(pageCursors));
    const reads: Read[] = [];
    for (const some of chunksOf(behind, ABREAST))
      reads.push(...(await Promise.all(some.map((pageCursor) => read(account, list, pageCursor, request)))));
    const events = reads.flatMap(({ items }) => items).map((mention) => ({ kind: 'mention', mention }) as const);
    await store.write((tx) => record(tx, account, events, { silent: false, together: true, now: clock.now() }));
    return {
      left: [...pageCursors.filter((pageCursor) => !behind.includes(pageCursor)), ...reads.flatMap(({ left }) => left)],
      again: reads.flatMap(({ again }) => again),
      skipped: reads.flatMap(({ skipped }) => skipped),
      refusals: reads.flatMap(({ refusals }) => refusals),
    };
  };
}

/** Combines the position in our list and in each platform list into one cursor. */
export function sealCursor(at: Position | undefined, pageCursors: readonly PageCursor[]): Position {
  const { at: time, id } = at ?? { at: NEVER, id: '' };
  return { at: time, id: JSON.stringify([id, pageCursors.map(({ page, cursor, floor }) => [page, cursor, floor])]) };
}

/** The positions in a cursor, without pages that are inactive by now. */
export function openCursor(
  sealed: Position,
  fresh: readonly PageCursor[],
): { at: Position; pageCursors: readonly PageCursor[] } {
  const [id, kept] = JSON.parse(sealed.id) as [string, [PageCursor['page'], PageCursor['cursor'], number][]];
  const pageCursors = kept.map(([page, cursor, floor]) => ({ page, cursor, floor }));
  return {
    at: { at: sealed.at, id },
    pageCursors: pageCursors.filter(({ page }) => fresh.some((pageCursor) => pageCursor.page === page)),
  };
}
