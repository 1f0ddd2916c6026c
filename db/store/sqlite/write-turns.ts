import { setImmediate } from 'node:timers';
import { isBusy } from './handle.ts';
import { transact, type Execute, type Session } from '../transaction.ts';

const MOST_TOGETHER = 64;

/** The only transaction of an SQLite file. Writes that join it have savepoints, so each can be rolled back alone. */
export type Shared = Readonly<{
  /** Begins the transaction; if it is flushed, its commit waits for the disk. */
  begin(flushed: boolean): Promise<void>;
  commit(): void;
  rollback(): void;
  /** False if SQLite has rolled it back, as on a full disk. */
  isOpen(): boolean;
  /** The write that began it. Its rollback undoes everything, because nobody has joined yet. */
  first: Session;
  /** Begins the savepoint of a write that joins. Its commit or rollback ends only the savepoint. */
  savepoint(): Session;
}>;

/** Writes that share one commit. */
type Group = {
  readonly flushed: boolean;
  size: number;
  /** Whether it has yielded to the event loop since the last write joined. */
  hasWaited: boolean;
  /** The error because of which it was rolled back. */
  cause?: Error;
  readonly committed: PromiseWithResolvers<void>;
};

/** Waits in the queue: a write that may join a group, or work that has to run alone. */
type Waiting = Readonly<{ flushed: boolean | undefined; go(group: Group | undefined): void }>;

/** A first-in, first-out queue that yields to the event loop between entries. */
function makeQueue() {
  const waiting: Waiting[] = [];
  let taken = false;
  let lockedOut: unknown;

  function pass(group?: Group): void {
    const next = waiting.shift();
    if (next === undefined) taken = false;
    else setImmediate(() => next.go(group));
  }

  return Object.freeze({
    busy: () => taken,
    pass,
    /** Waits for a turn and returns the group to join. A `last` entry waits even if others were locked out. */
    async turn(flushed?: boolean, last = false): Promise<Group | undefined> {
      if (!taken) {
        taken = true;
        return undefined;
      }
      const before = lockedOut;
      const group = await new Promise<Group | undefined>((go) => waiting.push({ flushed, go }));
      if (group !== undefined || last || lockedOut === before) return group;
      pass();
      throw lockedOut;
    },
    /** Passes the turn on after a failure. If another process has the lock, all who are waiting fail too. */
    passAfter(error: unknown): void {
      if (isBusy(error)) lockedOut = error;
      pass();
    },
    first: () => waiting[0],
    hasFlushed: () => waiting.some(({ flushed }) => flushed),
  });
}

/** Writes take turns. Those that wait join the first one's transaction, each with a savepoint, and share its commit. */
export function makeWriteTurns(shared: Shared) {
  const queue = makeQueue();

  async function begin(flushed: boolean): Promise<Group> {
    const isFlushed = flushed || queue.hasFlushed();
    try {
      await shared.begin(isFlushed);
    } catch (error) {
      queue.passAfter(error);
      throw error;
    }
    const committed = Promise.withResolvers<void>();
    // If all writes failed by themselves, nobody awaits this promise.
    committed.promise.catch(() => {});
    return { flushed: isFlushed, size: 1, hasWaited: false, committed };
  }

  /** Whether the next entry may join. A flushed write can only join a flushed commit. */
  function isJoined(group: Group): boolean {
    const flushed = queue.first()?.flushed;
    return flushed !== undefined && (group.flushed || !flushed) && group.size < MOST_TOGETHER && shared.isOpen();
  }

  function leave(group: Group): void {
    if (isJoined(group)) {
      group.size += 1;
      group.hasWaited = false;
      return queue.pass(group);
    }
    // Wait one turn of the event loop, because new writes may arrive and share the flush.
    if (shared.isOpen() && group.flushed && !group.hasWaited && queue.first() === undefined) {
      group.hasWaited = true;
      return void setImmediate(() => leave(group));
    }
    try {
      if (group.cause !== undefined) throw group.cause;
      shared.commit();
      group.committed.resolve();
    } catch (error) {
      shared.rollback();
      group.committed.reject(error);
    }
    queue.pass();
  }

  return Object.freeze({
    busy: queue.busy,
    /** Runs `work` alone and outside transactions; `last` runs it even if others were locked out. */
    async alone<R>(work: () => Promise<R>, last = false): Promise<R> {
      await queue.turn(undefined, last);
      let result: R;
      try {
        result = await work();
      } catch (error) {
        queue.passAfter(error);
        throw error;
      }
      queue.pass();
      return result;
    },
    /** Runs `body` in its turn and returns after the commit. */
    async write<R>(body: (execute: Execute) => Promise<R>, flushed: boolean): Promise<R> {
      const joined = await queue.turn(flushed);
      const group = joined ?? (await begin(flushed));
      let result: R;
      try {
        result = await transact(joined ? shared.savepoint() : shared.first, body);
      } catch (error) {
        if (!shared.isOpen()) group.cause = error as Error;
        throw error;
      } finally {
        leave(group);
      }
      await group.committed.promise;
      return result;
    },
  });
}
