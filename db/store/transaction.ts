import { AsyncLocalStorage } from 'node:async_hooks';
import { clearImmediate, setImmediate } from 'node:timers';
import type { CompiledQuery, QueryResult } from 'kysely';

/** An open transaction of the database; `rollback` never throws. */
export type Session = Readonly<{
  run(query: CompiledQuery): QueryResult<unknown> | Promise<QueryResult<unknown>>;
  commit(): void | Promise<void>;
  rollback(): void | Promise<void>;
}>;

export type Execute = (query: CompiledQuery) => Promise<QueryResult<unknown>>;

/** The state of an open transaction. After the first failure it can only be rolled back. */
type Mark = { open: boolean; failure: Error | undefined };

const current = new AsyncLocalStorage<Mark>();

const held = (what: string) => new Error('transaction held across I/O', { cause: what });

/** Throws inside a transaction, which then can only be rolled back. */
export function assertOutside(what: string): void {
  const mark = current.getStore();
  if (!mark?.open) return;
  mark.failure ??= held(`${what} was used while a transaction is open`);
  throw mark.failure;
}

/** Runs `body` and commits. Rolls back if `body` awaits anything but its queries, as that would block other writers. */
export async function transact<R>(session: Session, body: (execute: Execute) => Promise<R>): Promise<R> {
  const mark: Mark = { open: true, failure: undefined };
  const cut = Promise.withResolvers<never>();
  let running = 0;
  let last: Promise<unknown> = Promise.resolve();
  let watch: NodeJS.Immediate | undefined;

  const endOfTurn = () => {
    watch = undefined;
    if (!mark.open || running > 0) return;
    mark.failure ??= held('something else than the transaction was awaited');
    mark.open = false;
    cut.reject(mark.failure);
  };
  const step = async (query: CompiledQuery) => {
    try {
      if (mark.failure) throw mark.failure;
      if (!mark.open) throw new Error('the transaction is over');
      return await session.run(query);
    } catch (error) {
      // PostgreSQL refuses everything after a failed statement, so do the same on SQLite.
      mark.failure ??= error as Error;
      throw error;
    } finally {
      running -= 1;
      if (running === 0 && mark.open) watch ??= setImmediate(endOfTurn);
    }
  };
  const execute: Execute = (query) => {
    running += 1;
    const answer = step(query);
    // Answers come in the order of the queries, so the last one comes last.
    last = answer.catch(() => undefined);
    return answer;
  };

  try {
    watch = setImmediate(endOfTurn);
    const result = await Promise.race([current.run(mark, () => body(execute)), cut.promise]);
    await last;
    if (mark.failure) throw mark.failure;
    mark.open = false;
    await session.commit();
    return result;
  } catch (error) {
    mark.open = false;
    await last;
    await session.rollback();
    throw error;
  } finally {
    clearImmediate(watch);
  }
}
