import {
  DefaultQueryExecutor,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type CompiledQuery,
  type ConnectionProvider,
  type DatabaseConnection,
  type Dialect as KyselyDialect,
  type Driver,
} from 'kysely';
import type { Dialect } from './dialect.ts';
import { decodeRows, jsonColumns } from './json.ts';
import type { Execute } from './transaction.ts';

function refuse(): never {
  throw new Error('connections and transactions are opened by store.write alone');
}

/** Closes Kysely's own connections: a builder already has the one it runs on. */
const closedDriver: Driver = Object.freeze({
  init: async () => {},
  acquireConnection: async () => refuse(),
  beginTransaction: async () => refuse(),
  commitTransaction: async () => refuse(),
  rollbackTransaction: async () => refuse(),
  releaseConnection: async () => refuse(),
  destroy: async () => refuse(),
});

/**
 * SQLite compiles a statement anew for each run in which it plans by a value: of a limit, or of any column compared
 * with a parameter. Behind a sign, which changes nothing, it does not look at values.
 */
function sqliteCompiler(): SqliteQueryCompiler {
  const compiler = new SqliteQueryCompiler();
  Object.assign(compiler, { getCurrentParameterPlaceholder: () => '+?' });
  return compiler;
}

const sqlite: KyselyDialect = {
  createDriver: () => closedDriver,
  createQueryCompiler: sqliteCompiler,
  createAdapter: () => new SqliteAdapter(),
  createIntrospector: (db) => new SqliteIntrospector(db),
};

const postgres: KyselyDialect = {
  createDriver: () => closedDriver,
  createQueryCompiler: () => new PostgresQueryCompiler(),
  createAdapter: () => new PostgresAdapter(),
  createIntrospector: (db) => new PostgresIntrospector(db),
};

const DIALECTS: Readonly<Record<Dialect, KyselyDialect>> = Object.freeze({ sqlite, postgres });

const nowhere: ConnectionProvider = { provideConnection: async () => refuse() };

function executorOf(dialect: Dialect): DefaultQueryExecutor {
  const { createQueryCompiler, createAdapter } = DIALECTS[dialect];
  return new DefaultQueryExecutor(createQueryCompiler(), createAdapter(), nowhere, [jsonColumns]);
}

const EXECUTORS = Object.freeze({ sqlite: executorOf('sqlite'), postgres: executorOf('postgres') });

/** A query builder on `execute`, cheap enough for one per transaction. */
export function builderOn<DB>(dialect: Dialect, execute: Execute): Kysely<DB> {
  // Kysely's own way to a connection takes six awaits for each statement: it is left to derived builders, as of introspection.
  const executeQuery = async (query: CompiledQuery) => {
    const result = await execute(query);
    decodeRows(result.rows);
    return result;
  };
  const connection: DatabaseConnection = {
    executeQuery: (query) => executeQuery(query) as Promise<never>,
    streamQuery: refuse,
  };
  const executor = EXECUTORS[dialect].withConnectionProvider({ provideConnection: (consumer) => consumer(connection) });
  Object.assign(executor, { executeQuery });
  return new Kysely<DB>({
    config: { dialect: DIALECTS[dialect] },
    dialect: DIALECTS[dialect],
    driver: closedDriver,
    executor,
  });
}
