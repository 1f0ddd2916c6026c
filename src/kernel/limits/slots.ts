/** Releases a slot; further calls have no effect. */
export type Leave = () => void;

/** Admits at most `size` holders; others wait in order of arrival until their own signal fires. */
export function makeSlots(size: number): (signal: AbortSignal) => Promise<Leave> {
  let free = size;
  const queue = new Set<() => void>();

  function pass(): void {
    const [next] = queue;
    if (!next) {
      free += 1;
      return;
    }
    queue.delete(next);
    next();
  }

  return async function enter(signal) {
    if (free > 0) {
      free -= 1;
      return once(pass);
    }
    const { promise: admitted, resolve: admit } = Promise.withResolvers<void>();
    queue.add(admit);
    try {
      await untilStopped(admitted, signal);
      return once(pass);
    } catch (stopped) {
      // Admitted and stopped at the same moment, so the slot is passed to the next in the queue.
      if (!queue.delete(admit)) pass();
      throw stopped;
    }
  };
}

/** Admits at most `size` holders; a further one evicts the oldest. */
export function makeRing(size: number): (evict: () => void) => Leave {
  const holders = new Set<Readonly<{ evict: () => void }>>();
  return function enter(evict) {
    const holder = { evict };
    holders.add(holder);
    const [first] = holders;
    if (holders.size > size && first) {
      holders.delete(first);
      first.evict();
    }
    return () => void holders.delete(holder);
  };
}

export function once(leave: () => void): Leave {
  let held = true;
  return () => {
    if (held) leave();
    held = false;
  };
}

/** Settles when the work does, or fails as soon as the signal fires. */
export function untilStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stop = () => reject(new Error('stopped'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    const done = () => signal.removeEventListener('abort', stop);
    work.then(resolve, reject).finally(done);
  });
}
