import { CompiledQuery, type Compilable, type Kysely } from 'kysely';
import { randomHex } from '#kernel/ids.ts';
import type { Log } from '#kernel/log.ts';
import type { Backend, OwnProcess, WriteOptions } from './backend.ts';
import { makeWatch } from './availability.ts';
import { builderOn } from './builder.ts';
import type { Dialect } from './dialect.ts';
import { decodeRows } from './json.ts';
import { pending, type Applied, type Migration } from '../migrate/migrate.ts';
import { migrations as released } from '../migrations/index.ts';
import type { StoreLocation } from './location.ts';
import { compile, slotsOf } from './statement.ts';
import type { Database } from '../schema/database.ts';
import { testWrite } from './settings.ts';
import { StoreError } from './store-error.ts';
import type { Topic } from './tx.ts';
import { assertOutside } from './transaction.ts';

/** The token of a lease begins with the id of the process. */
const TOKEN_BYTES = 16;
const PROCESS_ID_BYTES = 6;

export type Tx = Readonly<{
  dialect: Dialect;
  process: OwnProcess;
  db: Kysely<Database>;
  /** Notifies the listeners of `store.onCommit` after the transaction is committed. */
  signal(topic: Topic): void;
}>;

export type Store<T extends Tx = Tx> = Readonly<{
  dialect: Dialect;
  process: OwnProcess;
  db: Kysely<Database>;
  /** The only way to open a transaction. `fn` may await only `tx`, and may run again after a deadlock. */
  write<R>(fn: (tx: T) => Promise<R>, options?: WriteOptions): Promise<R>;
  /** Compiles a read query once, with `slot` in place of parameters. Each run returns the first row. */
  prepared<P extends object, R>(
    build: (db: Kysely<Database>, slot: P) => Compilable<R>,
  ): (parameters: P) => Promise<R | undefined>;
  /** The same, but each run returns all rows. */
  preparedAll<P extends object, R>(
    build: (db: Kysely<Database>, slot: P) => Compilable<R>,
  ): (parameters: P) => Promise<readonly R[]>;
  /** Calls the listener when a commit of this process signals the topic; returns a function that stops it. */
  onCommit(topic: Topic, listener: () => void): () => void;
  /** Changes after another process changed connections, keys, users or workspaces (on SQLite: anything). */
  changed(): number | Promise<number>;
  /** Returns some free space to the file system and shortens the write-ahead log; 0 when there is none left. */
  tidy(): Promise<number>;
  /** What is wrong with a damaged database, and what to do. */
  damage(): string | undefined;
  /** Where the database is; undefined if it is in memory. */
  location(): Promise<StoreLocation | undefined>;
  /** Waits for pending transactions and closes the store. Can be called several times. */
  close(): Promise<void>;
}>;

/** Needs exactly one of `file`, `image` and `url`, unless `backend` is already open. */
export type StoreOptions = Readonly<{
  /** The path of an SQLite file, which is created if it is missing. */
  file?: string | undefined;
  /** A serialized SQLite database with all migrations, opened in memory. */
  image?: Uint8Array | undefined;
  /** A database that is already open and migrated. Closing the store closes it. */
  backend?: Backend | undefined;
  url?: string | undefined;
  /** The PostgreSQL schema, instead of the one in the connection's search path. */
  schema?: string | undefined;
  poolSize?: number | undefined;
  synchronous?: 'FULL' | 'NORMAL' | undefined;
  walLimitBytes?: number | undefined;
  /** How long a write to an SQLite file waits for another process, in ms. */
  lockTimeoutMs?: number | undefined;
  migrations?: readonly Migration[] | undefined;
  log?: Pick<Log, 'info' | 'warn'> | undefined;
}>;

/** Migrates and opens a store. Loads only the driver it needs. */
export async function openStore(options: StoreOptions): Promise<Store> {
  return storeOn(options.backend ?? (await openBackend(options)), options.log);
}

export async function openBackend(options: StoreOptions): Promise<Backend> {
  const { file, image, url, migrations = released } = options;
  if ([file, image, url].filter((place) => place !== undefined).length !== 1) {
    throw new Error('openStore takes exactly one of file, image and url');
  }
  if (url !== undefined) {
    const [{ openPostgres }, { migratePostgres }] = await Promise.all([
      import('./postgres/driver.ts'),
      import('../migrate/postgres.ts'),
    ]);
    await migratePostgres({ ...options, url, migrations });
    return openPostgres({ ...options, url });
  }
  const [{ openSqlite }, { migrateFile }, { refuseForeignLog }] = await Promise.all([
    import('./sqlite/driver.ts'),
    import('../migrate/sqlite.ts'),
    import('./sqlite/left-log.ts'),
  ]);
  if (file !== undefined) {
    refuseForeignLog(file);
    await migrateFile({ file, migrations, log: options.log });
    return openSqlite({ ...options, source: { file } });
  }
  const backend = await openSqlite({ ...options, source: { image: image! } });
  const { rows } = await backend.read(CompiledQuery.raw('select * from schema_migrations'));
  const [next] = pending(rows as Applied[], migrations, 'sqlite');
  if (!next) return backend;
  await backend.close();
  throw new StoreError(`the image lacks migration ${next.version} (${next.name})`);
}

function storeOn(backend: Backend, log: StoreOptions['log']): Store {
  const { dialect } = backend;
  const test = () => backend.transaction((execute) => testWrite(builderOn<Database>(dialect, execute), randomHex(8)));
  const own = openProcess(backend);
  const watch = makeWatch(test, log);
  const db = builderOn<Database>(dialect, (query) => backend.read(query).catch(watch.failed));
  const listeners = new Map<Topic, Set<() => void>>();
  let closing: Promise<void> | undefined;

  const announce = (topic: Topic) => {
    for (const listener of listeners.get(topic) ?? []) {
      try {
        listener();
      } catch (error) {
        // The transaction is committed, so its caller must not see an error.
        log?.warn({ error, topic }, 'a listener to commits failed');
      }
    }
  };

  function preparedAll<P extends object, R>(build: (builder: Kysely<Database>, slot: P) => Compilable<R>) {
    const { query, bind } = compile((slot) => build(db, slotsOf<P>(slot)));
    const rows = backend.prepare(query.sql);
    return async (parameters: P) =>
      decodeRows((await rows(bind((name) => parameters[name as keyof P])).catch(watch.failed)) as readonly R[]);
  }

  return Object.freeze({
    dialect,
    process: own,
    db,
    async write<R>(fn: (tx: Tx) => Promise<R>, options?: WriteOptions): Promise<R> {
      assertOutside('store.write');
      const topics = new Set<Topic>();
      const transaction = backend.transaction((execute) => {
        topics.clear();
        const signal = (topic: Topic) => void topics.add(topic);
        return fn({ dialect, process: own, db: builderOn<Database>(dialect, execute), signal });
      }, options);
      const result = await transaction.catch(watch.failed);
      watch.worked();
      topics.forEach(announce);
      return result;
    },
    prepared<P extends object, R>(build: (builder: Kysely<Database>, slot: P) => Compilable<R>) {
      const rows = preparedAll(build);
      return async (parameters: P) => (await rows(parameters))[0];
    },
    preparedAll,
    onCommit(topic: Topic, listener: () => void) {
      const known = listeners.get(topic) ?? new Set();
      listeners.set(topic, known.add(listener));
      return () => {
        if (known.delete(listener) && known.size === 0) listeners.delete(topic);
      };
    },
    changed() {
      const changed = backend.changed();
      return typeof changed === 'number' ? changed : changed.catch(watch.failed);
    },
    tidy: () => backend.tidy().catch(watch.failed),
    damage: watch.damage,
    location: async () => backend.location?.().catch(watch.failed),
    close: () => (closing ??= backend.close()),
  });
}

function openProcess(backend: Backend): OwnProcess {
  const id = randomHex(PROCESS_ID_BYTES);
  const newToken = () => id + randomHex(TOKEN_BYTES - PROCESS_ID_BYTES);
  return Object.freeze({ id, newToken, lock: backend.processLock?.(id) });
}

/** The same store with more functions in `tx`. `extend` makes them and can run code before and after the commit. */
export function extendTx<T extends Tx, X extends object>(
  store: Store<T>,
  extend: (tx: T) => Readonly<{ more: X; end(): Promise<unknown>; committed?: () => void }>,
): Store<T & X> {
  return Object.freeze({
    ...store,
    async write<R>(fn: (tx: T & X) => Promise<R>, options?: WriteOptions) {
      // If a transaction ran again, only its last run was committed.
      let afterwards: (() => void) | undefined;
      const result = await store.write(async (tx) => {
        const { more, end, committed } = extend(tx);
        afterwards = committed;
        const done = await fn({ ...tx, ...more });
        await end();
        return done;
      }, options);
      afterwards?.();
      return result;
    },
  });
}
