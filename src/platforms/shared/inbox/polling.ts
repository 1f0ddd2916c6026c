import { isDeepStrictEqual } from 'node:util';
import type * as z from 'zod';
import type { AccountCall } from '../../call.ts';
import type { InboundEvent, PollBatch } from '../../inbound.ts';

/** What was polled of one part; `began`: its first poll, whose events are the baseline. */
export type PartBatch<Position> = Readonly<{
  events: readonly InboundEvent[];
  at: Position | undefined;
  more: boolean;
  began?: true;
}>;

type Part = Readonly<{
  /** The shape of the stored position; one of another shape counts as none. */
  position: z.ZodType;
  poll(call: AccountCall, at: never): Promise<PartBatch<unknown>>;
}>;

/**
 * Polls several lists, each with a position of its own, stored by their names. If one fails, it keeps its position and
 * does not block the others; the error is thrown only when none made progress. The first successful poll of a part
 * returns its events as baseline, because the backfill may already have run.
 */
export function pollParts(parts: Readonly<Record<string, Part>>) {
  return async function read(call: AccountCall, cursor: unknown): Promise<PollBatch> {
    const stored = (cursor ?? {}) as Readonly<Record<string, unknown>>;
    const was = Object.fromEntries(
      Object.entries(parts).map(([name, { position }]) => [name, position.safeParse(stored[name]).data]),
    );
    const polled = await Promise.allSettled(
      Object.entries(parts).map(async ([name, { poll }]) => ({ name, ...(await poll(call, was[name] as never)) })),
    );
    const reported = polled.flatMap((part) => (part.status === 'fulfilled' ? [part.value] : []));
    const failed = polled.find((part) => part.status === 'rejected');
    const at = { ...was, ...Object.fromEntries(reported.map(({ name, at: position }) => [name, position])) };
    if (failed && isDeepStrictEqual(at, was)) throw failed.reason;
    const eventsOf = (batches: typeof reported) => batches.flatMap(({ events }) => events);
    return {
      events: eventsOf(reported.filter(({ began }) => !began)),
      baseline: eventsOf(reported.filter(({ began }) => began)),
      cursor: at,
      more: reported.some(({ more }) => more),
    };
  };
}
