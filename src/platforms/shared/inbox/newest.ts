import * as z from 'zod';
import type { AccountCall, PlatformAnswer, PlatformRequest } from '../../call.ts';
import type { InboundEvent } from '../../inbound.ts';
import { type Cost, QuotaSpent } from '../../app/quotas.ts';
import type { BackfillPart } from './backfill.ts';
import type { PartBatch } from './polling.ts';

type Item = Readonly<{ id: string; created_at: string }>;

/** A page of a list, newest first; `includes` is the connector's own additional data. */
type NewestPage<T, Includes> = Readonly<{ items: readonly T[]; includes: Includes; cursor: string | undefined }>;

/** Where to read a list: after a cursor, and only items newer than `since` if the platform can filter. */
type NewestAt = Readonly<{ since?: string; cursor?: string | undefined }>;

export type NewestList<T extends Item, Includes> = Readonly<{
  page(call: AccountCall, at: NewestAt): Promise<NewestPage<T, Includes>>;
  /** Converts items to events, and counts how many objects were read for them. */
  take(call: AccountCall, items: readonly T[], includes: Includes): Promise<NewestEvents>;
  /** How far back, in milliseconds, `since` works; unlimited by default. */
  searchedMs?: number;
}>;

type NewestEvents = Readonly<{ events: readonly InboundEvent[]; read: number }>;

/** The newest item read, what the poll cost, and the state of a list that continues on further pages. */
const Position = z.object({
  id: z.string().optional(),
  at: z.number(),
  read: z.number(),
  walk: z.object({ cursor: z.string(), id: z.string(), at: z.number() }).optional(),
});
type Position = z.output<typeof Position>;

/** The number of objects that the previous poll read, taken from its cursor. */
export const readIn = (cursor: unknown): number =>
  Object.values(cursor ?? {}).reduce<number>((sum, at) => sum + (Position.safeParse(at).data?.read ?? 0), 0);

export const isNewer = (id: string, than: string): boolean =>
  id.length === than.length ? id > than : id.length > than.length;

/** A poll part for a list sorted newest first, whose numeric ids increase over time. */
export function newestPart<T extends Item, Includes>({ page, take, searchedMs = Infinity }: NewestList<T, Includes>) {
  return {
    position: Position,
    async poll(call: AccountCall, before: Position | undefined): Promise<PartBatch<Position>> {
      const { id: since, at = call.now(), walk } = before ?? {};
      const isReached = since !== undefined && at > call.now() - searchedMs;
      const request = { ...(isReached && { since }), cursor: walk?.cursor };
      const { items, includes, cursor } = await page(call, request);
      const fresh = items.filter(({ id }) => since === undefined || isNewer(id, since));
      const { events, read } = await take(call, fresh, includes);
      const [first] = fresh;
      const top = walk ?? (first ? { id: first.id, at: Date.parse(first.created_at) } : { id: since, at });
      const begins = before === undefined ? ({ began: true } as const) : {};
      // A cursor that comes back unchanged leads nowhere.
      const isEnd = cursor === undefined || cursor === walk?.cursor;
      if (before === undefined || isEnd || fresh.length < items.length || top.id === undefined) {
        return { events, at: { id: top.id, at: top.at, read }, more: false, ...begins };
      }
      const rest = { cursor, id: top.id, at: top.at };
      return { events, at: { id: since, at, read, walk: rest }, more: true };
    },
  };
}

export type Aged = Readonly<{ created_at: number }>;
export type ItemPage<T> = Readonly<{ items: readonly T[]; cursor: string | undefined }>;

/** The items newer than `since`; once an older item appears, there is nothing newer after it. */
export function newerOf<T extends Aged>({ items, cursor }: ItemPage<T>, since = -Infinity): ItemPage<T> {
  const newer = items.filter(({ created_at: at }) => at > since);
  return { items: newer, cursor: newer.length < items.length ? undefined : cursor };
}

export function firstPage<T extends Item, Includes>(
  name: string,
  { page, take }: NewestList<T, Includes>,
): BackfillPart {
  return {
    name,
    async read(call) {
      const { items, includes } = await page(call, {});
      const { events } = await take(call, items, includes);
      return { events };
    },
  };
}

/** Charges `cost` to the first request of a call; the other requests wait until it is charged. */
export function payingFirst(call: AccountCall, cost: Cost): AccountCall {
  let paid: Promise<unknown> | undefined;
  async function http(request: PlatformRequest): Promise<PlatformAnswer> {
    if (paid !== undefined) {
      await paid;
      return call.http(request);
    }
    const first = call.http(cost.units > 0 ? { ...request, cost } : request);
    paid = first.catch((error: unknown) => {
      if (error instanceof QuotaSpent) throw error;
    });
    paid.catch(() => undefined);
    return first;
  }
  return { ...call, http };
}
