import type { CompiledQuery, QueryResult } from 'kysely';
import type { Dialect } from './dialect.ts';
import type { Execute } from './transaction.ts';

/** What the store needs of a database; there are two. */
export type Backend = Readonly<{
  dialect: Dialect;
  /** Runs a query that only reads, outside every transaction. */
  read(query: CompiledQuery): Promise<QueryResult<unknown>>;
  /** Makes a reading statement that runs many times; it answers its first row. */
  prepare(text: string): (parameters: readonly unknown[]) => Promise<unknown>;
  /** Runs `body` in one transaction. Where the database chose it as the victim of a deadlock it runs again. */
  transaction<R>(body: (execute: Execute) => Promise<R>): Promise<R>;
  changed(): number | Promise<number>;
  close(): Promise<void>;
}>;
