import type { QueryResult } from 'kysely';
import pg from 'pg';
import { StoreUnavailable } from '#kernel/errors.ts';
import type { Log } from '#kernel/log.ts';

export const CONNECT_MS = 10_000;

export type PostgresAddress = Readonly<{
  url: string;
  schema?: string | undefined;
  log?: Pick<Log, 'warn'> | undefined;
}>;

export type SessionKind = 'reading' | 'migrating';

/** Settings of every session, which override the configuration of the server. */
const SETTINGS: Readonly<Record<SessionKind, Readonly<Record<string, string>>>> = Object.freeze({
  reading: {
    statement_timeout: '30s',
    lock_timeout: '5s',
    idle_in_transaction_session_timeout: '30s',
    default_transaction_isolation: 'read committed',
    default_transaction_read_only: 'on',
  },
  migrating: {
    statement_timeout: '0',
    lock_timeout: '0',
    idle_in_transaction_session_timeout: '0',
    default_transaction_isolation: 'read committed',
    default_transaction_read_only: 'off',
  },
});

/** Logs the loss of a connection, which would otherwise end the process. It may be lost while it is being made. */
export function logLoss(client: pg.ClientBase, log: Pick<Log, 'warn'> | undefined): void {
  client.on('error', (error) => log?.warn({ error: new StoreUnavailable(error) }, 'a database connection was lost'));
}

/** Gives a new session its settings. */
export async function settle(client: pg.ClientBase, kind: SessionKind, schema: string | undefined): Promise<void> {
  const settings = { ...SETTINGS[kind], ...(schema !== undefined && { search_path: schema }) };
  const pairs = Object.entries(settings);
  const calls = pairs.map((_, index) => `set_config($${2 * index + 1}, $${2 * index + 2}, false)`);
  await client.query(`select ${calls.join(', ')}`, pairs.flat());
}

const OID = Object.freeze({ bool: 16, int8: 20, numeric: 1700 });

/** Parses numbers and booleans as SQLite returns them, without changing the parsers of other users of the library. */
export const types: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === OID.int8 || oid === OID.numeric) return exactNumber;
    if (oid === OID.bool) return (text: string) => (text === 't' ? 1 : 0);
    return pg.types.getTypeParser(oid, format) as (text: string) => unknown;
  },
};

function exactNumber(text: string): number {
  const number = Number(text);
  if (Math.abs(number) > Number.MAX_SAFE_INTEGER)
    throw new RangeError('a number from the database is too large to be exact');
  return number;
}

export function resultOf(result: pg.QueryResult): QueryResult<unknown> {
  const { command, rowCount, rows } = result;
  const changes = command === 'INSERT' || command === 'UPDATE' || command === 'DELETE' || command === 'MERGE';
  return changes ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows };
}
