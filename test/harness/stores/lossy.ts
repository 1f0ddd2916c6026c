import type { Store } from '#db/store/open.ts';
import type { CrashPoint } from '#call/crash-points.ts';

/**
 * A store on which the answer of every request with a key is lost, as it is for a process that dies between the work
 * and the record of its answer.
 */
export function lossy(bare: Store) {
  let losing = true;
  let lose = false;
  const store: Store = {
    ...bare,
    write(...args) {
      const lost = lose;
      lose = false;
      return lost ? Promise.reject(new Error('the process is dead')) : bare.write(...args);
    },
  };
  // What is written next after this point is the answer.
  const crash: CrashPoint = (point) => void (lose = losing && point === 'request.performed');
  return {
    surroundings: { store, crash },
    /** From now on every answer is kept. */
    heal: () => void (losing = false),
  };
}
