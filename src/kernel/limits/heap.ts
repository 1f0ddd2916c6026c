import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: Readonly<{ type: 'major'; execution: 'sync'; flavor: 'last-resort' }>) => void;

/** The factor by which the young generation grows; small steps would cost the first requests many collections. */
const GROWTH = 4;
/** The size at which growth stops; V8 itself would grow to 100 MB. */
const GROWN_BYTES = 16 * 1_048_576;
/** How long after background work the young generation may grow again, as the next step may follow soon. */
const SPARING_MS = 5_000;

const KEPT = 1;
let growth: number | undefined;

function growBy(factor: number): void {
  if (factor === growth) return;
  growth = factor;
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}

/** Keeps the young generation at its size, because V8 returns memory only when the process is idle. */
export const limitHeap = (): void => growBy(KEPT);

/** Lets the young generation grow again and returns unused memory to the system; blocks for about 0.1 s. */
export function releaseHeap(): void {
  adapt();
  // The young generation shrinks when idle and must be able to grow again under load.
  new PerformanceObserver(adapt).observe({ type: 'gc' });
  // `gc` exists only in contexts that are created while this flag is set.
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as Collect;
  setFlagsFromString('--no-expose-gc');
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

const isGrown = () =>
  getHeapSpaceStatistics().some(
    ({ space_name, space_size }) => space_name === 'new_space' && space_size >= GROWN_BYTES,
  );

const adapt = () => growBy(isSparing || isGrown() ? KEPT : GROWTH);

let isSparing = false;
let working = 0;
let lull: NodeJS.Timeout | undefined;

/** Runs background work without letting the young generation grow. */
export async function sparingly<T>(work: () => Promise<T>): Promise<T> {
  clearTimeout(lull);
  working += 1;
  isSparing = true;
  limitHeap();
  try {
    return await work();
  } finally {
    working -= 1;
    if (working === 0) lull = setTimeout(endSparing, SPARING_MS).unref();
  }
}

function endSparing(): void {
  isSparing = false;
  adapt();
}
