import { readBytes } from '../../kernel/body.ts';
import { ApiError, fail } from '../../kernel/errors.ts';
import { networkOf } from '../../kernel/net/addresses.ts';
import type { RequestContext } from '../../kernel/route.ts';
import { JSON_BODY } from '../http/body.ts';

type Reading = Readonly<{ network: string; stop: AbortController }>;

/** Seconds after which a sender who found no room may try again. */
const RETRY_S = 5;

/**
 * Holds at most `most` bodies in memory at once, of senders who are unauthenticated until theirs is read. One more takes
 * the place of one that is still being read: of the network that sends most, its oldest. So slow senders hold nobody
 * else up, whose bodies are there at once.
 */
export function makeBodies(most: number) {
  const readings = new Set<Reading>();
  let read = 0;

  function makeRoom(): void {
    if (readings.size + read < most) return;
    const evicted = oldestOfMost([...readings]) ?? fail('http.503', { retryAfter: RETRY_S });
    readings.delete(evicted);
    evicted.stop.abort(new ApiError('http.503', { retryAfter: RETRY_S }));
  }

  /** Reads the body of a request, and holds it until it is taken. */
  return async function hold<T>({ req, ip }: RequestContext, take: (body: Buffer) => Promise<T>): Promise<T> {
    makeRoom();
    const reading = { network: networkOf(ip), stop: new AbortController() };
    readings.add(reading);
    const body = await readBytes(req, JSON_BODY, reading.stop.signal).finally(() => readings.delete(reading));
    read += 1;
    try {
      return await take(body);
    } finally {
      read -= 1;
    }
  };
}

function oldestOfMost(readings: readonly Reading[]): Reading | undefined {
  const sending = Map.groupBy(readings, ({ network }) => network);
  const [first] = [...sending.values()].toSorted((a, b) => b.length - a.length);
  return first?.[0];
}
