import { ApiError } from '../../kernel/errors.ts';

/** Hashing takes memory and a thread each, and anybody may ask for it (rulings 5.9). */
const AT_ONCE = 2;
/** Waiting costs little: from one place as many as people need, of all as many as end within seconds. */
const WAITING_EACH = 8;
const WAITING = 1000;
const BUSY_SECONDS = 2;

/** Who asks for a turn: a network, a browser or a session, and how often it has just been wrong. */
export type Standing = Readonly<{ from: string; failures: number }>;

type Waiter = Standing & Readonly<{ admit(): void; refuse(error: ApiError): void }>;

/**
 * Turns for work that strangers may ask for. Those with the fewest failures go first, so that however many networks
 * guess, someone from another one gets a turn at once. Among equals who came last goes first: in a flood, those who came
 * before are the likelier to have given up.
 */
export function makeTurns() {
  const waiting = new Set<Waiter>();
  let running = 0;

  function enter({ from, failures }: Standing): Promise<void> {
    const own = [...waiting].filter((one) => one.from === from);
    if (own.length >= WAITING_EACH) throw busy();
    const last = waiting.size < WAITING ? undefined : lastOf(waiting);
    if (last) {
      if (failures > last.failures) throw busy();
      waiting.delete(last);
      last.refuse(busy());
    }
    return new Promise((admit, refuse) => waiting.add({ from, failures, admit, refuse }));
  }

  /** Hands a turn on, so that nobody who comes meanwhile overtakes those who wait. */
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
    if (running >= AT_ONCE) await enter(standing);
    else running += 1;
    try {
      return await work();
    } finally {
      leave();
    }
  };
}

/** The newest of those with the fewest failures. */
function nextOf(waiting: Iterable<Waiter>): Waiter | undefined {
  let next: Waiter | undefined;
  for (const one of waiting) if (next === undefined || one.failures <= next.failures) next = one;
  return next;
}

/** The oldest of those with the most failures. */
function lastOf(waiting: Iterable<Waiter>): Waiter | undefined {
  let last: Waiter | undefined;
  for (const one of waiting) if (last === undefined || one.failures > last.failures) last = one;
  return last;
}

const busy = () => new ApiError('http.429', { retryAfter: BUSY_SECONDS });
