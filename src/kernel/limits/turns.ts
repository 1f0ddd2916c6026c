import { ApiError } from '../errors.ts';

/** The network, browser or session that requests a turn, and the number of its recent failures. */
export type Standing = Readonly<{ from: string; failures: number }>;

export type TurnLimits = Readonly<{
  atOnce: number;
  /** How many requests may wait per `from`; `waiting` is the limit in total. */
  waitingEach: number;
  waiting: number;
  retryAfter: number;
}>;

type Waiter = Standing & Readonly<{ admit(): void; refuse(error: ApiError): void }>;

/** A concurrency limit with a queue: callers with the fewest failures come first, among equals the newest. */
export function makeTurns({ atOnce, waitingEach, waiting: mostWaiting, retryAfter }: TurnLimits) {
  const busy = () => new ApiError('http.429', { retryAfter });
  const waiting = new Set<Waiter>();
  let running = 0;

  function enter({ from, failures }: Standing): Promise<void> {
    const own = [...waiting].filter((one) => one.from === from);
    if (own.length >= waitingEach) throw busy();
    const last = waiting.size < mostWaiting ? undefined : lastOf(waiting);
    if (last) {
      if (failures > last.failures) throw busy();
      waiting.delete(last);
      last.refuse(busy());
    }
    return new Promise((admit, refuse) => waiting.add({ from, failures, admit, refuse }));
  }

  /** Passes the turn directly to the next in the queue, so that no newcomer can take it. */
  function leave(): void {
    const next = nextOf(waiting);
    if (next === undefined) {
      running -= 1;
      return;
    }
    waiting.delete(next);
    next.admit();
  }

  return async function turn<T>(standing: Standing, work: () => Promise<T>): Promise<T> {
    if (running >= atOnce) await enter(standing);
    else running += 1;
    try {
      return await work();
    } finally {
      leave();
    }
  };
}

function nextOf(waiting: Iterable<Waiter>): Waiter | undefined {
  let next: Waiter | undefined;
  for (const one of waiting) if (next === undefined || one.failures <= next.failures) next = one;
  return next;
}

function lastOf(waiting: Iterable<Waiter>): Waiter | undefined {
  let last: Waiter | undefined;
  for (const one of waiting) if (last === undefined || one.failures > last.failures) last = one;
  return last;
}
