import type { AccountRow } from '#db/access/accounts.ts';
import type { PageRow } from '#db/access/pages.ts';
import type { Store } from '#db/store/store.ts';
import type { Clock } from '#kernel/clock.ts';
import { ApiError } from '#kernel/errors.ts';
import type { Position } from '#kernel/page.ts';
import type { SkippedPage } from '#platforms/inbound.ts';
import type { Mentions } from '#platforms/interactions.ts';
import type { PlatformMention } from '#platforms/records.ts';
import { isRefusal } from '#platforms/retry-policy.ts';
import { record } from '../record/record.ts';
import type { Lookup } from './lookup.ts';

/** Concurrency limit of list reads. */
const ABREAST = 4;
const NEVER = Number.MAX_SAFE_INTEGER;

type List = NonNullable<Mentions['list']>;

/**
 * A list of the platform, of one page where an account has pages: behind which cursor it goes on, and from which instant
 * on all that it tells is stored. A list that was read to its end has none of this.
 */
export type Lane = Readonly<{ page: string | null; cursor: string | null; floor: number }>;

/** What came of reading lists. */
type ReadResult = Readonly<{
  /** The lists that go on. */
  left: readonly Lane[];
  /** Lists that do not go on because of what was refused: read again with the next page of ours, if there is one. */
  again: readonly Lane[];
  skipped: readonly SkippedPage[];
  /** One for each list that was refused as a whole. */
  refusals: readonly ApiError[];
}>;

type Read = ReadResult & Readonly<{ items: readonly PlatformMention[] }>;

/** The lists of an account, before any of them is read. */
export function freshLanes(pages: readonly PageRow[], hasPages: boolean): readonly Lane[] {
  const active = pages.filter(({ is_active }) => is_active === 1).map(({ platform_page_id }) => platform_page_id);
  return (hasPages ? active : [null]).map((page) => ({ page, cursor: null, floor: NEVER }));
}

/** From which instant on all items of the lists are stored; undefined when all are. */
export function floorOf(lanes: readonly Lane[]): number | undefined {
  return lanes.length === 0 ? undefined : Math.max(...lanes.map(({ floor }) => floor));
}

/** Reads on in the platform's lists of mentions, into the store. */
export function makeMentionLists({ store, clock, lookup }: Readonly<{ store: Store; clock: Clock; lookup: Lookup }>) {
  async function read(
    account: AccountRow,
    list: List,
    lane: Lane,
    { limit, since }: Readonly<{ limit: number; since: number | undefined }>,
  ): Promise<Read> {
    // One more than fits: what is as old as the last one read may go on behind it.
    const ask = { limit: Math.min(limit + 1, 100), cursor: lane.cursor ?? undefined, since };
    let listed: Awaited<ReturnType<List>>;
    try {
      listed = await lookup.ask(account, (call) => list(call, { ...ask, page: lane.page ?? undefined }));
    } catch (error) {
      if (!(error instanceof ApiError) || !isRefusal(error.cause)) throw error;
      const skipped = lane.page === null ? [] : [{ page: lane.page, error: error.cause }];
      return { items: [], left: [], again: [lane], skipped, refusals: [error] };
    }
    const oldest = listed.items.reduce((least, { created_at: at }) => Math.min(least, at), NEVER);
    const { items, cursor, skipped = [] } = listed;
    const isOver = cursor === undefined || (since !== undefined && oldest <= since);
    const floor = Math.min(lane.floor, oldest === NEVER ? NEVER : oldest + 1);
    const left = isOver ? [] : [{ page: lane.page, cursor, floor }];
    return { items, left, again: isOver && skipped.length > 0 ? [lane] : [], skipped, refusals: [] };
  }

  /** Reads one stretch of each list that is in the way of telling more. */
  return async function readOn(
    account: AccountRow,
    list: List,
    lanes: readonly Lane[],
    ask: Readonly<{ limit: number; since: number | undefined }>,
  ): Promise<ReadResult> {
    const inTheWay = lanes.filter(({ floor }) => floor === floorOf(lanes));
    const reads: Read[] = [];
    for (let at = 0; at < inTheWay.length; at += ABREAST) {
      const some = inTheWay.slice(at, at + ABREAST);
      reads.push(...(await Promise.all(some.map((lane) => read(account, list, lane, ask)))));
    }
    const events = reads.flatMap(({ items }) => items).map((mention) => ({ kind: 'mention', mention }) as const);
    await store.write((tx) => record(tx, account, events, { silent: false, together: true, now: clock.now() }));
    return {
      left: [...lanes.filter((lane) => !inTheWay.includes(lane)), ...reads.flatMap(({ left }) => left)],
      again: reads.flatMap(({ again }) => again),
      skipped: reads.flatMap(({ skipped }) => skipped),
      refusals: reads.flatMap(({ refusals }) => refusals),
    };
  };
}

/** Our place in the list of mentions, and that in each list of the platform, as a cursor keeps them. */
export function sealPlace(at: Position | undefined, lanes: readonly Lane[]): Position {
  const { at: time, id } = at ?? { at: NEVER, id: '' };
  return { at: time, id: JSON.stringify([id, lanes.map(({ page, cursor, floor }) => [page, cursor, floor])]) };
}

/** What a cursor kept; pages that are switched off meanwhile are left out. */
export function openPlace(sealed: Position, fresh: readonly Lane[]): { at: Position; lanes: readonly Lane[] } {
  const [id, kept] = JSON.parse(sealed.id) as [string, [Lane['page'], Lane['cursor'], number][]];
  const lanes = kept.map(([page, cursor, floor]) => ({ page, cursor, floor }));
  return { at: { at: sealed.at, id }, lanes: lanes.filter(({ page }) => fresh.some((lane) => lane.page === page)) };
}
