type Request = LockManager['request'];

/** Over plain http no tab knows of the others. */
export const hasLocks = 'locks' in navigator;

/** Over plain http browsers have no locks: there each tab is as if it were the only one. */
const alone = (async (name: string, ...rest: unknown[]) => {
  const run = rest.at(-1) as (lock: Lock) => unknown;
  return run({ name, mode: 'exclusive' });
}) as Request;

/** Locks among the tabs of a browser. */
export const locks: Readonly<{ request: Request }> = hasLocks
  ? { request: navigator.locks.request.bind(navigator.locks) }
  : { request: alone };

/** Whether tabs can take turns here. */
export const canShare = hasLocks && 'BroadcastChannel' in globalThis;
