import { isDeepStrictEqual } from 'node:util';
import type * as z from 'zod';
import type { AccountCall } from '../../call.ts';
import type { InboundEvent, PollBatch, SkippedPage } from '../../inbound.ts';
import { isRefusal } from '../../retry-policy.ts';

/** The result of polling one part; `began` marks its first poll, whose events are the baseline. */
export type PartBatch<Position> = Readonly<{
  events: readonly InboundEvent[];
  at: Position | undefined;
  more: boolean;
  began?: true;
}>;

type Part = Readonly<{
  /** The schema of the stored position; a position that does not match is ignored. */
  position: z.ZodType;
  poll(call: AccountCall, at: never): Promise<PartBatch<unknown>>;
}>;

/** Polls several lists, each with its own position; a failing list keeps its position and blocks no other. */
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
    const names = Object.keys(parts);
    const failed = polled.flatMap((part, index) =>
      part.status === 'rejected' ? [{ page: names[index]!, error: part.reason as unknown }] : [],
    );
    const skipped = failed.filter((one): one is SkippedPage => isRefusal(one.error));
    const passing = reported.length === 0 ? failed[0] : failed.find(({ error }) => !isRefusal(error));
    const at = { ...was, ...Object.fromEntries(reported.map(({ name, at: position }) => [name, position])) };
    if (passing && isDeepStrictEqual(at, was)) throw passing.error;
    const eventsOf = (batches: typeof reported) => batches.flatMap(({ events }) => events);
    return {
      events: eventsOf(reported.filter(({ began }) => !began)),
      baseline: eventsOf(reported.filter(({ began }) => began)),
      cursor: at,
      more: reported.some(({ more }) => more),
      ...(skipped.length > 0 && { skipped }),
    };
  };
}
