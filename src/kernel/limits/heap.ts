import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: Readonly<{ type: 'major'; execution: 'sync'; flavor: 'last-resort' }>) => void;

/** How fast the young generation grows: in one step, or most requests of the first minutes pay for collections. */
const GROWTH = 16;

/** Keeps the young generation at the size it has: V8 does not give back what it grew to. */
export function limitHeap(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** Lets the young generation grow again with the load and returns unused memory to the system; blocks for about 0.1 s. */
export function releaseHeap(): void {
  growAgain();
  // `gc` exists only in contexts made while the flag is set.
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as Collect;
  setFlagsFromString('--no-expose-gc');
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

const growAgain = () => setFlagsFromString(`--semi-space-growth-factor=${GROWTH}`);

let sparing = 0;

/** Does work that nobody waits for without letting the young generation grow for it. */
export async function sparingly<T>(work: () => Promise<T>): Promise<T> {
  sparing += 1;
  if (sparing === 1) limitHeap();
  try {
    return await work();
  } finally {
    sparing -= 1;
    if (sparing === 0) growAgain();
  }
}
