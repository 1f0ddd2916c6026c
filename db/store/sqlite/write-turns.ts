import { setImmediate } from 'node:timers';
import { isBusy } from './handle.ts';
import { transact, type Execute, type Session } from '../transaction.ts';

/** How many writes share a commit at most. */
const MOST_TOGETHER = 64;

/** The one transaction of a SQLite file; what runs inside it is undone alone by its savepoint. */
export type Shared = Readonly<{
  /** Begins it; a flushed one waits for the disk when it commits. */
  begin(flushed: boolean): Promise<void>;
  commit(): void;
  rollback(): void;
  /** False once SQLite itself has given it up, as on a full disk. */
  isOpen(): boolean;
  /** Begins the savepoint of one write; a session's commit releases it, its rollback undoes it. */
  savepoint(): Session;
}>;

/** Writes that are answered by one commit. */
type Group = {
  readonly flushed: boolean;
  size: number;
  /** Whether it has let the event loop run since somebody joined it. */
  hasWaited: boolean;
  /** Why SQLite has given the transaction up. */
  cause?: Error;
  readonly committed: PromiseWithResolvers<void>;
};

/** Who waits for a turn: a write, which may join the group before it, or somebody who must be alone. */
type Waiting = Readonly<{ flushed: boolean | undefined; go(group: Group | undefined): void }>;

/** A queue, first come, first served. Between two turns the event loop runs once, so a long one does not freeze the process. */
function makeQueue() {
  const waiting: Waiting[] = [];
  let taken = false;
  let lockedOut: unknown;

  /** Passes the turn on to who waits first, with the group that they join. */
  function pass(group?: Group): void {
    const next = waiting.shift();
    if (next === undefined) taken = false;
    else setImmediate(() => next.go(group));
  }

  return Object.freeze({
    busy: () => taken,
    pass,
    /** Waits for a turn; answers the group that is joined, if there is one. Who is `last` waits however long others keep it out. */
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
    /** Passes the turn on after a failure. When another process kept it out, all that wait fail too: each would wait as long again. */
    passAfter(error: unknown): void {
      if (isBusy(error)) lockedOut = error;
      pass();
    },
    first: () => waiting[0],
    hasFlushed: () => waiting.some(({ flushed }) => flushed),
  });
}

/**
 * Turns to write. Those that wait while another writes share its transaction, each in a savepoint, and are answered
 * after its one commit; one that fails is undone alone, a commit that fails fails them all.
 */
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
    // Where all of them failed by themselves nobody waits for it.
    committed.promise.catch(() => {});
    return { flushed: isFlushed, size: 1, hasWaited: false, committed };
  }

  /** Whether who waits first may still join: a write that waits for the disk takes no commit that does not. */
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
    // A write ends before the event loop comes to those that want to write, too: they share the wait for the disk.
    if (group.flushed && !group.hasWaited && queue.first() === undefined) {
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
    /** Runs `work` when its turn has come, outside every transaction; the `last` one also where writes before it were locked out. */
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
    /** Runs `body` when its turn has come; answers once what it wrote is committed. */
    async write<R>(body: (execute: Execute) => Promise<R>, flushed: boolean): Promise<R> {
      const group = (await queue.turn(flushed)) ?? (await begin(flushed));
      let result: R;
      try {
        result = await transact(shared.savepoint(), body);
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
