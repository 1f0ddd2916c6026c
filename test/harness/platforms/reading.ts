import type { InboundEvent, PollBatch } from '#platforms/inbound.ts';
import type { SendCall } from '#platforms/sending.ts';

type Read = (acting: SendCall, cursor: unknown) => Promise<PollBatch>;

/** Reads as the engine does: the place is stored as JSON, and what is more is read at once. */
export async function readOn(read: Read, acting: SendCall, from?: unknown) {
  const facts: InboundEvent[] = [];
  const met: InboundEvent[] = [];
  let cursor = from;
  for (let steps = 1; ; steps += 1) {
    const { events, baseline = [], cursor: next, more } = await read(acting, cursor);
    facts.push(...events);
    met.push(...baseline);
    cursor = JSON.parse(JSON.stringify(next)) as unknown;
    if (!more) return { facts, met, cursor, steps };
  }
}
