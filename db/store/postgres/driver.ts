import { nextTick } from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import type { CompiledQuery } from 'kysely';
import pg from 'pg';
import { StoreUnavailable } from '#kernel/errors.ts';
import type { Backend } from '../backend.ts';
import type { StoreLocation } from '../location.ts';
import { makeProcessLock } from './process-lock.ts';
import { CONNECT_MS, logLoss, resultOf, settle, types, type PostgresAddress } from './session.ts';
import { assertOutside, transact, type Execute, type Session } from '../transaction.ts';

export type PostgresOptions = PostgresAddress & Readonly<{ poolSize?: number | undefined }>;

const POOL_SIZE = 10;
const EPOCH_MS = 1000;
const DEADLOCK_TRIES = 4;
/** PostgreSQL's code for insufficient privilege. */
const DENIED = '42501';

const CALLERS = /\b(insert into|update|delete from) "?(?:connections|keys|users|workspaces)\b"?/i;
/** Columns that are written often and that nobody caches. */
const UNKEPT: ReadonlySet<string> = new Set([
  'brands_count',
  'storage_bytes',
  'pending_bytes',
  'last_used_at',
  'notified_at',
  'mailed_notifications',
]);

/** Whether a statement changes a cached table, so that other processes must be notified through `changed`. */
export function changesCallers(text: string): boolean {
  const found = CALLERS.exec(text);
  if (!found) return false;
  if (found[1]!.toLowerCase() !== 'update') return true;
  const set = text.slice(found.index + found[0].length).split(/\swhere\s/i, 1)[0]!;
  const columns = [...set.matchAll(/"(\w+)" = /g)].map(([, column]) => column!);
  return columns.length === 0 || columns.some((column) => !UNKEPT.has(column));
}

/** Opens PostgreSQL. Sessions of the pool can only read, except in transactions. */
export function openPostgres(options: PostgresOptions): Backend {
  // The pool waits for this promise, although its types do not say so.
  const ready = (client: pg.ClientBase): unknown => {
    logLoss(client, options.log);
    return settle(client, 'reading', options.schema);
  };
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize ?? POOL_SIZE,
    connectionTimeoutMillis: CONNECT_MS,
    application_name: 'rostra',
    // Queries of a transaction that do not wait for each other are sent together.
    pipeline: true,
    types,
    onConnect: ready,
  });
  pool.on('error', () => {}); // Each connection has its own listener, which logs.
  const names = makeNames();
  const ask = async (query: Repeatable) => {
    assertOutside('the store');
    return resultOf(await pool.query(names.named(query)));
  };
  /** The same, once more with a new plan. */
  const read = (query: Repeatable) =>
    ask(query).catch((error: unknown) => {
      if (!names.forgetIfStale(error)) throw error;
      return ask(query);
    });

  const once = async <R>(body: (execute: Execute) => Promise<R>, flushed: boolean): Promise<R> => {
    const client = await pool.connect();
    const { session, broken } = openSession(client, names, flushed);
    try {
      return await transact(session, body);
    } finally {
      client.release(broken());
    }
  };

  return {
    dialect: 'postgres',
    read,
    prepare: (text) => async (parameters) => (await read({ sql: text, parameters, isRepeated: true })).rows,
    transaction: async (body, { flushed = true } = {}) => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await once(body, flushed);
        } catch (error) {
          if (attempt === DEADLOCK_TRIES || !(isVictim(error) || names.forgetIfStale(error))) throw error;
        }
        await wait(Math.random() * 20 * attempt);
      }
    },
    changed: readEpoch(pool),
    processLock: (id) => makeProcessLock(options, id),
    location: () => locationOf(pool),
    tidy: async () => 0,
    close: () => pool.end(),
  };
}

type Repeatable = Pick<CompiledQuery, 'sql' | 'parameters'> & Readonly<{ isRepeated?: boolean }>;

/** Names of the statements that each connection parses once. */
function makeNames() {
  const known = new Map<string, string>();
  let generation = 0;
  return Object.freeze({
    named({ sql: text, parameters, isRepeated = false }: Repeatable): pg.QueryConfig {
      const values = [...parameters];
      if (!isRepeated) return { text, values };
      const name = known.get(text) ?? `rostra_${generation}_${known.size}`;
      known.set(text, name);
      return { name, text, values };
    },
    /** A migration of a newer process changes what a statement returns, which its old plan refuses. */
    forgetIfStale(error: unknown): boolean {
      const { code, routine } = error as { code?: unknown; routine?: unknown };
      if (code !== '0A000' || routine !== 'RevalidateCachedQuery') return false;
      known.clear();
      generation += 1;
      return true;
    },
  });
}

function openSession(
  client: pg.PoolClient,
  names: ReturnType<typeof makeNames>,
  flushed: boolean,
): { session: Session; broken: () => Error | undefined } {
  let touched = false;
  let failure: Error | undefined;
  const send = sendingTogether(client);
  // A server that accepts no writes, such as a standby, fails here. What was sent after it can then only read.
  const begun = send(flushed ? 'begin read write' : 'begin read write; set local synchronous_commit = off').catch(
    (error: unknown) => {
      throw new StoreUnavailable(error);
    },
  );
  // Every query and the commit wait for it, but a rollback need not.
  begun.catch(() => {});
  const session: Session = {
    run: async (query: CompiledQuery) => {
      touched ||= changesCallers(query.sql);
      const answer = send(names.named(query));
      // If the transaction did not begin, that is the error to report.
      answer.catch(() => {});
      await begun;
      return resultOf(await answer);
    },
    commit: async () => {
      await begun;
      // Comes last, so that the row that all such transactions share is locked only briefly.
      if (touched) await send('update store_epoch set value = value + 1');
      const { command } = await send('commit');
      if (command !== 'COMMIT') throw new Error('the database rolled the transaction back');
    },
    rollback: async () => {
      try {
        await send('rollback');
      } catch (error) {
        failure = error as Error;
      }
    },
  };
  return { session, broken: () => failure };
}

/** Sends the queries of one turn of the event loop in one packet, because each packet wakes the database. */
function sendingTogether(client: pg.PoolClient): (query: string | pg.QueryConfig) => Promise<pg.QueryResult> {
  const { stream } = client.connection;
  let isGathering = false;
  return (query) => {
    if (!isGathering) {
      isGathering = true;
      stream.cork();
      nextTick(() => {
        isGathering = false;
        stream.uncork();
      });
    }
    return client.query(query);
  };
}

/** A deadlock or serialization failure: the database has rolled back and the transaction should be retried. */
function isVictim(error: unknown): boolean {
  const code = (error as { code?: unknown } | undefined)?.code;
  return code === '40P01' || code === '40001';
}

/** The cluster, database and table. If the cluster hides its id, the other two have to be enough. */
async function locationOf(pool: pg.Pool): Promise<StoreLocation> {
  const parts = `(select oid from pg_database where datname = current_database())::text as "database",
    to_regclass('settings')::oid::text as "table"`;
  const cluster = '(select system_identifier::text from pg_control_system()) as "cluster"';
  const found = await pool.query<StoreLocation>(`select ${parts}, ${cluster}`).catch((error: { code?: string }) => {
    if (error.code !== DENIED) throw error;
    return pool.query<StoreLocation>(`select ${parts}`);
  });
  return found.rows[0]!;
}

/** Reads the change counter at most once a second. A failed read is not cached. */
function readEpoch(pool: pg.Pool): () => Promise<number> {
  let read: Promise<number> | undefined;
  let at = -Infinity;
  return async () => {
    assertOutside('the store');
    if (read && performance.now() - at < EPOCH_MS) return read;
    at = performance.now();
    read = pool.query<{ value: number }>('select value from store_epoch').then(({ rows }) => rows[0]?.value ?? 0);
    read.catch(() => (read = undefined));
    return read;
  };
}
