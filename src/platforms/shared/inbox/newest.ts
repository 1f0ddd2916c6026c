import * as z from 'zod';
import type { AccountCall, PlatformAnswer, PlatformRequest } from '../../call.ts';
import type { InboundEvent } from '../../inbound.ts';
import { type Cost, QuotaSpent } from '../../app/quotas.ts';
import type { BackfillPart } from './backfill.ts';
import type { PartBatch } from './polling.ts';

type Item = Readonly<{ id: string; created_at: string }>;

/** A page of a list that shows the newest first; what is shown beside its items is the connector's. */
export type NewestPage<T, Includes> = Readonly<{ items: readonly T[]; includes: Includes; cursor: string | undefined }>;

/** Where a list is to be read: behind a page, and what is newer than an item, where the platform can tell. */
export type NewestAt = Readonly<{ since?: string; cursor?: string | undefined }>;

export type NewestList<T extends Item, Includes> = Readonly<{
  page(call: AccountCall, at: NewestAt): Promise<NewestPage<T, Includes>>;
  /** The events of items, and how many things were read for them. */
  take(call: AccountCall, items: readonly T[], includes: Includes): Promise<NewestEvents>;
  /** How far back the platform can tell what is newer than an item; for ever by default. */
  searchedMs?: number;
}>;

export type NewestEvents = Readonly<{ events: readonly InboundEvent[]; read: number }>;

/** Up to where a list was read, how many things that took, and the rest of a list longer than a page. */
const Position = z.object({
  id: z.string().optional(),
  at: z.number(),
  read: z.number(),
  walk: z.object({ cursor: z.string(), id: z.string(), at: z.number() }).optional(),
});
type Position = z.output<typeof Position>;

/** How many things the poll before has read, by its cursor. */
export const readIn = (cursor: unknown): number =>
  Object.values(cursor ?? {}).reduce<number>((sum, at) => sum + (Position.safeParse(at).data?.read ?? 0), 0);

/** Whether an id is newer than another, where ids are numbers that rise. */
export const isNewer = (id: string, than: string): boolean =>
  id.length === than.length ? id > than : id.length > than.length;

/**
 * A part of a poll: a list that shows the newest first, whose ids are numbers that rise.
 */
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
      if (before === undefined || cursor === undefined || fresh.length < items.length || top.id === undefined) {
        return { events, at: { id: top.id, at: top.at, read }, more: false, ...begins };
      }
      const rest = { cursor, id: top.id, at: top.at };
      return { events, at: { id: since, at, read, walk: rest }, more: true };
    },
  };
}

export type Aged = Readonly<{ created_at: number }>;
export type ItemPage<T> = Readonly<{ items: readonly T[]; cursor: string | undefined }>;

/** What is newer than `since` of a page of a list that is newest first; nothing newer follows an older item. */
export function newerOf<T extends Aged>({ items, cursor }: ItemPage<T>, since = -Infinity): ItemPage<T> {
  const newer = items.filter(({ created_at: at }) => at > since);
  return { items: newer, cursor: newer.length < items.length ? undefined : cursor };
}

/** The first page of a list, as a part of a backfill. */
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

/** A call whose first request costs this much of a quota; the others wait until that is paid. */
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
