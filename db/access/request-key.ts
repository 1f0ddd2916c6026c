import { AsyncLocalStorage } from 'node:async_hooks';
import type { Db } from '../store/tx.ts';

/** The Idempotency-Key of a request that is running. */
export type RequestKey = Readonly<{
  /** Replaces what is recorded under the key, or throws where another request has taken the work over. */
  record(db: Db, state: object): Promise<void>;
}>;

const current = new AsyncLocalStorage<RequestKey>();

/** Runs a request under its key: every transaction of its work has it as `tx.key`. */
export function underKey<T>(key: RequestKey, work: () => Promise<T>): Promise<T> {
  return current.run(key, work);
}

/** The key of the request that this code runs for. */
export function currentKey(): RequestKey | undefined {
  return current.getStore();
}
