type Request = LockManager['request'];

/** Over plain http, browsers have no locks and tabs do not know of each other. */
export const hasLocks = 'locks' in navigator;

/** Replaces locks over plain http: every tab gets each lock, as if it were the only one. */
const alone = (async (name: string, ...rest: unknown[]) => {
  const run = rest.at(-1) as (lock: Lock) => unknown;
  return run({ name, mode: 'exclusive' });
}) as Request;

/** Locks that the tabs of a browser share. */
export const locks: Readonly<{ request: Request }> = hasLocks
  ? { request: navigator.locks.request.bind(navigator.locks) }
  : { request: alone };

/** Whether tabs can share one stream here. */
export const canShare = hasLocks && 'BroadcastChannel' in globalThis;
