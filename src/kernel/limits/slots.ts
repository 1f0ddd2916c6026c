/** Gives a place back; calling it again does nothing. */
export type Leave = () => void;

/** At most `size` holders; the others wait in line until their own signal fires. */
export function makeSlots(size: number): (signal: AbortSignal) => Promise<Leave> {
  let free = size;
  const line = new Set<() => void>();

  function pass(): void {
    const [next] = line;
    if (!next) {
      free += 1;
      return;
    }
    line.delete(next);
    next();
  }

  return async function enter(signal) {
    if (free > 0) {
      free -= 1;
      return once(pass);
    }
    const { promise: admitted, resolve: admit } = Promise.withResolvers<void>();
    line.add(admit);
    try {
      await untilStopped(admitted, signal);
      return once(pass);
    } catch (stopped) {
      // Admitted in the same turn as stopped: the place goes to the next in line.
      if (!line.delete(admit)) pass();
      throw stopped;
    }
  };
}

/** Nobody waits here: when there are more than `size` holders, the one who came first is put out. */
export function makeRing(size: number): (putOut: () => void) => Leave {
  const holders = new Set<Readonly<{ putOut: () => void }>>();
  return function enter(putOut) {
    const holder = { putOut };
    holders.add(holder);
    const [first] = holders;
    if (holders.size > size && first) {
      holders.delete(first);
      first.putOut();
    }
    return () => void holders.delete(holder);
  };
}

function once(leave: () => void): Leave {
  let held = true;
  return () => {
    if (held) leave();
    held = false;
  };
}

/** Settles as the work does, or fails as soon as the signal fires. */
export function untilStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stop = () => reject(new Error('stopped'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    const done = () => signal.removeEventListener('abort', stop);
    work.then(resolve, reject).finally(done);
  });
}
