import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: Readonly<{ type: 'major'; execution: 'sync'; flavor: 'last-resort' }>) => void;

/** Keeps the young generation at its first size: it never shrinks below what it grew to while modules load. */
export function limitHeap(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** How fast the young generation grows: in one step, or most requests of the first minutes pay for collections. */
const GROWTH = 16;

/** Lets the young generation grow again with the load and returns unused memory to the system; blocks for about 0.1 s. */
export function releaseHeap(): void {
  setFlagsFromString(`--semi-space-growth-factor=${GROWTH}`);
  // `gc` exists only in contexts made while the flag is set.
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as Collect;
  setFlagsFromString('--no-expose-gc');
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
