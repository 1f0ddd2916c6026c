import type { CompiledQuery, QueryResult } from 'kysely';
import type { Dialect } from './dialect.ts';
import type { Execute } from './transaction.ts';

/**
 * How a transaction is written. `flushed: false` is for work that is simply done again when it is lost: the machine may
 * forget it in a power cut, together with what came after it and was not flushed either; a crash of the process never
 * does.
 */
export type WriteOptions = Readonly<{ flushed?: boolean }>;

/** A lock that ends with its process: the database or the operating system releases it when the process dies. */
export type ProcessLock = Readonly<{
  /** Takes it; false where this process has it already. */
  hold(): Promise<boolean>;
  /** How often it was lost, as a connection is. */
  losses(): number;
  /** Those of some other processes whose lock nobody holds. */
  dead(ids: readonly string[]): Promise<readonly string[]>;
  release(): Promise<void>;
}>;

/** A process that works on the store. */
export type OwnProcess = Readonly<{
  id: string;
  /** A token for a lease, which ends with this process at the latest. */
  newToken(): string;
  /** Shows other processes that this one is alive; absent where there can be no others. */
  lock: ProcessLock | undefined;
}>;

/** What the store needs of a database; there are two. */
export type Backend = Readonly<{
  dialect: Dialect;
  /** Runs a query that only reads, outside every transaction. */
  read(query: CompiledQuery): Promise<QueryResult<unknown>>;
  /** Makes a reading statement that runs many times; it answers its rows. */
  prepare(text: string): (parameters: readonly unknown[]) => Promise<readonly unknown[]>;
  /** Runs `body` in one transaction. Where the database chose it as the victim of a deadlock it runs again. */
  transaction<R>(body: (execute: Execute) => Promise<R>, options?: WriteOptions): Promise<R>;
  changed(): number | Promise<number>;
  /** The lock of a process with such an id; absent where no other process can open the database. */
  processLock?(id: string): ProcessLock;
  /** Gives a step of free space back to the file system; answers how many pages that was. */
  tidy(): Promise<number>;
  close(): Promise<void>;
}>;
