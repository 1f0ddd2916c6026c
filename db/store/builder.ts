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

/** Disables Kysely's own connections, because a builder already has the connection it runs on. */
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
 * SQLite compiles a statement again when its plan depends on the value of a parameter, as with a limit or a compared
 * column. A plus sign, which changes nothing else, prevents that.
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

/** Makes a query builder that runs on `execute`. It is cheap enough to make one per transaction. */
export function builderOn<DB>(dialect: Dialect, execute: Execute): Kysely<DB> {
  // Kysely's own way takes six awaits per statement. Only derived builders use it, such as for introspection.
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
