import type { CompiledQuery, QueryResult } from 'kysely';
import type { Dialect } from './dialect.ts';
import type { StoreLocation } from './location.ts';
import type { Execute } from './transaction.ts';

/** `flushed: false`: for repeatable work; a power cut may undo it, a crash of the process never. */
export type WriteOptions = Readonly<{ flushed?: boolean }>;

/** A lock that the database or operating system releases when its process dies. */
export type ProcessLock = Readonly<{
  /** False if this process has it already. */
  hold(): Promise<boolean>;
  /** How often it was lost, with its connection. */
  losses(): number;
  /** Processes whose lock is free. */
  dead(ids: readonly string[]): Promise<readonly string[]>;
  release(): Promise<void>;
}>;

/** A process that uses the store. */
export type OwnProcess = Readonly<{
  id: string;
  /** A token for a lease, which ends with this process at the latest. */
  newToken(): string;
  /** Shows that this process is alive; absent if there can be no others. */
  lock: ProcessLock | undefined;
}>;

export type Backend = Readonly<{
  dialect: Dialect;
  read(query: CompiledQuery): Promise<QueryResult<unknown>>;
  /** Prepares a read statement; it returns rows. */
  prepare(text: string): (parameters: readonly unknown[]) => Promise<readonly unknown[]>;
  /** Runs `body` in a transaction, again if it was the victim of a deadlock. */
  transaction<R>(body: (execute: Execute) => Promise<R>, options?: WriteOptions): Promise<R>;
  changed(): number | Promise<number>;
  /** Absent if no other process can open the database. */
  processLock?(id: string): ProcessLock;
  /** Where the database is; absent if it is in memory. */
  location?(): Promise<StoreLocation>;
  /** Returns some free space to the file system; returns the number of pages. */
  tidy(): Promise<number>;
  close(): Promise<void>;
}>;
