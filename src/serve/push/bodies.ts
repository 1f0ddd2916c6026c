import { readBytes } from '#kernel/body.ts';
import { ApiError, fail } from '#kernel/errors.ts';
import { networkOf } from '#kernel/net/addresses.ts';
import type { RequestContext } from '#kernel/route.ts';
import { JSON_BODY } from '../http/body.ts';

type Reading = Readonly<{ network: string; bytes: number; stop: AbortController }>;

/** Seconds until a sender may retry when memory is full. */
const RETRY_S = 5;

/** The least that a body counts, to allow for overhead. */
const LEAST_BYTES = 16_384;

/** The memory reserved for a request: its declared size, up to the largest body. */
function bytesOf({ headers }: RequestContext['req']): number {
  const named = Number(headers['content-length'] ?? JSON_BODY.limit);
  return Math.min(Math.max(named, LEAST_BYTES), JSON_BODY.limit);
}

/** Limits the memory for bodies. A new one evicts the oldest unread body of the busiest network. */
export function makeBodies(most: number) {
  const readings = new Set<Reading>();
  let held = 0;

  function makeRoom(bytes: number): void {
    while (held + bytes > most * JSON_BODY.limit) {
      const evicted = oldestOfMost([...readings]) ?? fail('http.503', { retryAfter: RETRY_S });
      release(evicted);
      evicted.stop.abort(new ApiError('http.503', { retryAfter: RETRY_S }));
    }
  }

  function release(reading: Reading): void {
    if (readings.delete(reading)) held -= reading.bytes;
  }

  /** Reads a request's body, and counts it until `take` has finished. */
  return async function hold<T>({ req, ip }: RequestContext, take: (body: Buffer) => Promise<T>): Promise<T> {
    const bytes = bytesOf(req);
    makeRoom(bytes);
    const reading = { network: networkOf(ip), bytes, stop: new AbortController() };
    readings.add(reading);
    held += bytes;
    const body = await readBytes(req, JSON_BODY, reading.stop.signal).finally(() => release(reading));
    held += bytes;
    try {
      return await take(body);
    } finally {
      held -= bytes;
    }
  };
}

function oldestOfMost(readings: readonly Reading[]): Reading | undefined {
  const sending = Map.groupBy(readings, ({ network }) => network);
  const [first] = [...sending.values()].toSorted((a, b) => b.length - a.length);
  return first?.[0];
}
