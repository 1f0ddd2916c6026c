import { AsyncLocalStorage } from 'node:async_hooks';
import type { Db } from '../store/tx.ts';

/** The Idempotency-Key of the request that is running. */
export type RequestKey = Readonly<{
  /** Replaces the state recorded under the key; throws if another request has taken it over. */
  record(db: Db, state: object): Promise<void>;
}>;

const current = new AsyncLocalStorage<RequestKey>();

/** Runs a request under its key, which all its transactions can read as `tx.key`. */
export function underKey<T>(key: RequestKey, work: () => Promise<T>): Promise<T> {
  return current.run(key, work);
}

export function currentKey(): RequestKey | undefined {
  return current.getStore();
}
