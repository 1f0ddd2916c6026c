import { setImmediate } from 'node:timers';
import { isBusy } from './handle.ts';
import { transact, type Execute, type Session } from '../transaction.ts';

const MOST_TOGETHER = 64;

/** The one transaction of a SQLite file; savepoints roll back writes that joined it. */
export type Shared = Readonly<{
  /** A flushed transaction waits for the disk when it commits. */
  begin(flushed: boolean): Promise<void>;
  commit(): void;
  rollback(): void;
  /** False once SQLite has rolled it back, as on a full disk. */
  isOpen(): boolean;
  /** The session of the write that began it: what it undoes is the whole, as nobody has joined yet. */
  first: Session;
  /** Begins the savepoint of a write that joins; the session's commit or rollback ends it. */
  savepoint(): Session;
}>;

/** Writes that share a commit. */
type Group = {
  readonly flushed: boolean;
  size: number;
  /** Whether it yielded to the event loop since the last join. */
  hasWaited: boolean;
  /** Why it was rolled back. */
  cause?: Error;
  readonly committed: PromiseWithResolvers<void>;
};

/** Waits for a turn: a write that may join a group, or work that must be alone. */
type Waiting = Readonly<{ flushed: boolean | undefined; go(group: Group | undefined): void }>;

/** A FIFO queue, with one event-loop turn between entries. */
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
    /** Waits for a turn, with the group to join; `last` waits however long. */
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
    /** Passes the turn after a failure; if another process holds the lock, all waiting ones fail too. */
    passAfter(error: unknown): void {
      if (isBusy(error)) lockedOut = error;
      pass();
    },
    first: () => waiting[0],
    hasFlushed: () => waiting.some(({ flushed }) => flushed),
  });
}

/** Turns to write: those waiting join the transaction of the first with a savepoint each, and one commit for all. */
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
    // If all failed by themselves nobody waits for it.
    committed.promise.catch(() => {});
    return { flushed: isFlushed, size: 1, hasWaited: false, committed };
  }

  /** Whether the next in line may join: a flushed write needs a flushed commit. */
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
    // New writes may arrive in the next event-loop turn, and share the flush.
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
    /** Runs `work` in its turn outside transactions; `last` also after others were locked out. */
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
    /** Runs `body` in its turn; returns once it is committed. */
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
