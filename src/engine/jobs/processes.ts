import { endProcess, insertProcess, keyIdsOf, otherProcesses } from '#db/store/processes.ts';
import type { Store } from '#db/store/store.ts';
import { every, systemClock, type Clock } from '#kernel/clock.ts';
import { StoreUnavailable } from '#kernel/errors.ts';
import type { Log } from '#kernel/log.ts';

/** How often to check for processes that died. */
const LOOK_MS = 2000;

/** Registers this process as alive and, once it works, releases the leases of dead ones, so that their work is due. */
export function makeProcesses({
  store,
  clock,
  log,
  keyIds,
}: Readonly<{ store: Store; clock: Clock; log: Log; keyIds: readonly string[] }>) {
  const { id, lock } = store.process;
  const others = store.preparedAll(otherProcesses);
  let stop = () => {};
  let isWorking = false;
  let looking: Promise<void> | undefined;
  let isFailing = false;

  async function end(process: string): Promise<number> {
    return store.write((tx) => endProcess(tx, process, clock.now()));
  }

  async function look(): Promise<void> {
    if (lock === undefined) return;
    // The lock comes first, because a listed process without its lock counts as dead.
    if (await lock.hold()) await store.write((tx) => insertProcess(tx.db, { id, now: clock.now(), keyIds }));
    const known = isWorking ? (await others({ id })).map((row) => row.id) : [];
    if (known.length === 0) return;
    for (const dead of await lock.dead(known)) {
      const leases = await end(dead);
      log.info({ process: dead, leases }, 'took over from a process that has died');
    }
  }

  /** Two looks at the same time would both wait for the lock. */
  const lookOnce = (): Promise<void> => (looking ??= look().finally(() => (looking = undefined)));

  /** Looks again unless a look is running; logs only the first of several failures. */
  async function lookAgain(): Promise<void> {
    try {
      await lookOnce();
      isFailing = false;
    } catch (error) {
      // The store itself logs once that it is unavailable.
      const level = isFailing || error instanceof StoreUnavailable ? 'debug' : 'warn';
      log[level]({ error }, 'looking for dead processes failed');
      isFailing = true;
    }
  }

  async function keepLooking(): Promise<void> {
    await lookOnce();
    stop();
    // Uses the system's clock, because processes die in real time even if tests move the clock.
    stop = every(systemClock, LOOK_MS, () => void lookAgain());
  }

  return Object.freeze({
    /** Only lists this process, which also applies to paused ones because they have master keys too. */
    enlist: keepLooking,
    /** From now on also releases the leases of dead processes. */
    async start(): Promise<void> {
      await looking?.catch(() => {});
      isWorking = true;
      await keepLooking();
    },
    /** Releases unfinished work for other processes; call it after stopping. */
    async close(): Promise<void> {
      stop();
      if (lock === undefined) return;
      await end(id).catch((error: unknown) => log.info({ error }, 'leases not released; they will expire'));
      await lock.release();
    },
  });
}

/** Other processes that are using the store. */
async function othersAlive({ process: { id, lock }, preparedAll }: Store): Promise<readonly string[]> {
  const known = (await preparedAll(otherProcesses)({ id })).map((row) => row.id);
  if (known.length === 0 || lock === undefined) return [];
  // The locks of other processes can be checked only by a process that holds its own.
  const isNew = await lock.hold();
  try {
    const dead = new Set(await lock.dead(known));
    return known.filter((one) => !dead.has(one));
  } finally {
    if (isNew) await lock.release();
  }
}

export const isInUse = async (store: Store): Promise<boolean> => (await othersAlive(store)).length > 0;

/** Whether every other process that is using the store has this master key. */
export async function allHaveKey(store: Store, keyId: string): Promise<boolean> {
  for (const id of await othersAlive(store)) {
    if (!(await keyIdsOf(store.db, id)).includes(keyId)) return false;
  }
  return true;
}
