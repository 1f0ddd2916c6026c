import type { CompiledQuery, QueryResult } from 'kysely';
import type { Dialect } from './dialect.ts';
import type { StoreLocation } from './location.ts';
import type { Execute } from './transaction.ts';

/** `flushed: false` is for work that can be repeated: a power cut may undo it, but a crash of the process cannot. */
export type WriteOptions = Readonly<{ flushed?: boolean }>;

/** A lock that the database or the operating system releases when its process dies. */
export type ProcessLock = Readonly<{
  /** False if this process already has the lock. */
  hold(): Promise<boolean>;
  /** How often the lock was lost together with its connection. */
  losses(): number;
  /** Those of the processes whose lock nobody holds. */
  dead(ids: readonly string[]): Promise<readonly string[]>;
  release(): Promise<void>;
}>;

/** This process, as a user of the store. */
export type OwnProcess = Readonly<{
  id: string;
  /** Makes the token of a lease, which ends at the latest with this process. */
  newToken(): string;
  /** Proves that this process is alive; undefined if no other process can use the database. */
  lock: ProcessLock | undefined;
}>;

export type Backend = Readonly<{
  dialect: Dialect;
  read(query: CompiledQuery): Promise<QueryResult<unknown>>;
  /** Prepares a statement that only reads and returns rows. */
  prepare(text: string): (parameters: readonly unknown[]) => Promise<readonly unknown[]>;
  /** Runs `body` in a transaction, and again if the database rolled it back to resolve a deadlock. */
  transaction<R>(body: (execute: Execute) => Promise<R>, options?: WriteOptions): Promise<R>;
  changed(): number | Promise<number>;
  /** Undefined if no other process can open the database. */
  processLock?(id: string): ProcessLock;
  /** Where the database is; undefined if it is in memory. */
  location?(): Promise<StoreLocation>;
  /** Returns some free space to the file system; the result is the number of pages. */
  tidy(): Promise<number>;
  close(): Promise<void>;
}>;
