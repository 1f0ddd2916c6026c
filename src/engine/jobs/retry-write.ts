import { sleep, type Clock } from '#kernel/clock.ts';
import { StoreUnavailable } from '#kernel/errors.ts';

const PAUSE_MS = 1000;

/** Writes the record of an effect; while the store is unavailable, retries for at most `timeoutMs`. */
export async function retryWrite<T>(clock: Clock, write: () => Promise<T>, timeoutMs = Infinity): Promise<T> {
  const end = clock.now() + timeoutMs;
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || clock.now() >= end) throw error;
    }
    await sleep(clock, PAUSE_MS);
  }
}
