import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { AccountCall } from '../../call.ts';
import type { InboundEvent, PollBatch } from '../../inbound.ts';
import type { Listed, Paging } from '../../interactions.ts';

/** Safety limit: no account has this many pages of changes between two polls. */
const MOST_PAGES = 20;

/** `since`: when polling began; `at`: the time of the newest change that was read; `ids`: the items changed then. */
const Position = z.object({ since: z.number(), at: z.number(), ids: z.array(z.string()) });

/** An item that can change after it is created. */
type Changing = Readonly<{ platform_id: string; created_at: number; updated_at: number }>;

/** Polls a list sorted by last change. `isOld`: the item was created before polling began. */
export function pollChanges<Item extends Changing>(
  list: (call: AccountCall, page: Paging) => Promise<Listed<Item>>,
  eventOf: (item: Item, isOld: boolean) => InboundEvent,
  limit: number,
) {
  return async function poll(call: AccountCall, cursor: unknown): Promise<PollBatch> {
    const before = Position.safeParse(cursor).data;
    const since = before?.since ?? call.now();
    const isFresh = ({ platform_id, updated_at: at }: Item) =>
      before === undefined || at > before.at || (at === before.at && !before.ids.includes(platform_id));
    const found: Item[] = [];
    let page: string | undefined;
    for (let pages = 0; pages < MOST_PAGES; pages += 1) {
      const { items, cursor: next } = await list(call, { limit, cursor: page });
      const fresh = items.filter(isFresh);
      found.push(...fresh);
      page = next;
      // On the first poll one page is the baseline; the other pages hold older items.
      if (page === undefined || before === undefined || fresh.length < items.length) break;
    }
    const at = Math.max(before?.at ?? 0, ...found.map(({ updated_at }) => updated_at));
    const latest = found.flatMap(({ platform_id, updated_at }) => (updated_at === at ? [platform_id] : []));
    const position = { since, at, ids: before?.at === at ? [...new Set([...before.ids, ...latest])] : latest };
    const events = found.map((item) => eventOf(item, before !== undefined && item.created_at <= since));
    const batch = { cursor: isDeepStrictEqual(position, before) ? cursor : position, more: false };
    return before === undefined ? { ...batch, events: [], baseline: events } : { ...batch, events };
  };
}
