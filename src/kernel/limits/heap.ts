import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: Readonly<{ type: 'major'; execution: 'sync'; flavor: 'last-resort' }>) => void;

/** How many times its size the young generation grows to at once: small steps cost the first requests collections. */
const GROWTH = 4;
/** The size from which it grows no more; V8 would go on and hold 100 MB. */
const GROWN_BYTES = 16 * 1_048_576;
/** How long after such work the young generation may grow again: the next step of it may be close. */
const SPARING_MS = 5_000;

/** Keeps the young generation at the size it has: V8 does not give back what it grew to. */
export function limitHeap(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** Lets the young generation grow again with the load and returns unused memory to the system; blocks for about 0.1 s. */
export function releaseHeap(): void {
  growAgain();
  new PerformanceObserver((_list, observer) => {
    if (!isGrown()) return;
    observer.disconnect();
    limitHeap();
  }).observe({ type: 'gc' });
  // `gc` exists only in contexts made while the flag is set.
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as Collect;
  setFlagsFromString('--no-expose-gc');
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

const isGrown = () =>
  getHeapSpaceStatistics().some(
    ({ space_name, space_size }) => space_name === 'new_space' && space_size >= GROWN_BYTES,
  );

const growAgain = () => {
  if (!isGrown()) setFlagsFromString(`--semi-space-growth-factor=${GROWTH}`);
};

let sparing = 0;
let lull: NodeJS.Timeout | undefined;

/** Does work that nobody waits for without letting the young generation grow for it. */
export async function sparingly<T>(work: () => Promise<T>): Promise<T> {
  clearTimeout(lull);
  sparing += 1;
  limitHeap();
  try {
    return await work();
  } finally {
    sparing -= 1;
    if (sparing === 0) lull = setTimeout(growAgain, SPARING_MS).unref();
  }
}
