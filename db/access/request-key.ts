import { AsyncLocalStorage } from 'node:async_hooks';
import type { Db } from '../store/tx.ts';

/** The Idempotency-Key of a running request. */
export type RequestKey = Readonly<{
  /** Replaces what is recorded under the key; throws if another request took over. */
  record(db: Db, state: object): Promise<void>;
}>;

const current = new AsyncLocalStorage<RequestKey>();

/** Runs a request under its key, which every transaction of its work has as `tx.key`. */
export function underKey<T>(key: RequestKey, work: () => Promise<T>): Promise<T> {
  return current.run(key, work);
}

export function currentKey(): RequestKey | undefined {
  return current.getStore();
}
