import { statSync } from 'node:fs';
import type { CompiledQuery, QueryResult } from 'kysely';
import type { Log } from '#kernel/log.ts';
import type { Backend } from '../backend.ts';
import {
  bindings,
  cacheStatements,
  openFile,
  openImage,
  retryWhileLocked,
  type Handle,
  type Statement,
} from './handle.ts';
import { assertOutside, type Session } from '../transaction.ts';
import { locationOfFile } from '../location.ts';
import { makeProcessLock } from './process-lock.ts';
import { makeWriteTurns, type Shared } from './write-turns.ts';

export type SqliteOptions = Readonly<{
  source: Readonly<{ file: string } | { image: Uint8Array }>;
  /** With NORMAL, a power cut may undo the last commits, but a crash of the process cannot. */
  synchronous?: 'FULL' | 'NORMAL' | undefined;
  /** The write-ahead log is emptied when it is larger than this. */
  walLimitBytes?: number | undefined;
  /** How long a write waits for another process, in ms. */
  lockTimeoutMs?: number | undefined;
  log?: Pick<Log, 'warn'> | undefined;
}>;

const WAL_LIMIT_BYTES = 64 * 1024 * 1024;
/** Checking the size of the log takes a system call, so not every commit does it. */
const COMMITS_PER_LOOK = 64;
/** Freeing a page moves another one, so one step takes about as long as a commit. */
const PAGES_PER_STEP = 500;
/** In ms. Every request checks for changes by others, and the pragma costs more than identifying the caller. */
const VERSION_MS = 100;

/** Opens SQLite with one handle for writing and one for reading meanwhile; in memory one for both, used in turns. */
export async function openSqlite(options: SqliteOptions): Promise<Backend> {
  const { source } = options;
  const file = 'file' in source ? source.file : undefined;
  const writer = 'file' in source ? await openFile(source.file) : openImage(source.image);
  const reader = file === undefined ? writer : await openFile(file);
  writer.pragma('foreign_keys = ON');
  // Keep what a savepoint may roll back in memory, because in a file each write would take a dozen system calls.
  writer.pragma('temp_store = MEMORY');
  // Checkpoint less often than by default (1000), so that a page that changes often is copied less often.
  writer.pragma('wal_autocheckpoint = 4000');
  const flush = makeFlush(writer, options.synchronous);
  if (reader !== writer) reader.pragma('query_only = ON');

  const writing = cacheStatements(writer);
  const reading = reader === writer ? writing : cacheStatements(reader);
  const version = writer.prepare<[], number>('pragma data_version').pluck();
  const shorten = file === undefined ? () => {} : makeShorten(file, writer, options);
  const turns = makeWriteTurns(makeShared(writer, { flush, writing, shorten, lockTimeoutMs: options.lockTimeoutMs }));

  const read = async <R>(text: string, work: (statement: Statement) => R): Promise<R> => {
    assertOutside('the store');
    const now = () => {
      // Between writes, the writer reads too: its cache has what it wrote, and the reader's is lost with each commit.
      const statement = (turns.busy() ? reading : writing)(text);
      if (!statement.readonly) throw new Error('store.db only reads: write inside store.write');
      return work(statement);
    };
    return reader === writer && turns.busy() ? turns.alone(async () => now()) : now();
  };

  return {
    dialect: 'sqlite',
    read: (query) => read(query.sql, (statement) => run(statement, query)),
    prepare: (text) => (parameters) => read(text, (statement) => statement.all(bindings(parameters))),
    transaction: (body, { flushed = true } = {}) => turns.write(body, flushed),
    // Read on the writer, because there its own commits do not count.
    changed: readVersion(() => version.get()!),
    ...(file !== undefined && {
      processLock: (id: string) => makeProcessLock(file, id),
      location: async () => locationOfFile(file),
    }),
    tidy: () => {
      assertOutside('store.tidy');
      return turns.alone(async () => {
        const free = () => writer.pragma('freelist_count', { simple: true }) as number;
        const before = free();
        const vacuum = () => writer.pragma(`incremental_vacuum(${PAGES_PER_STEP})`);
        if (before > 0) await retryWhileLocked(writer, vacuum, options.lockTimeoutMs);
        const freed = before - free();
        shorten();
        return freed;
      });
    },
    close: () =>
      turns.alone(async () => {
        reader.close();
        writer.close();
      }, true),
  };
}

function run(statement: Statement, query: CompiledQuery): QueryResult<unknown> {
  const parameters = bindings(query.parameters);
  if (statement.reader) return { rows: statement.all(parameters) };
  const { changes, lastInsertRowid } = statement.run(parameters);
  return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
}

type Sharing = Readonly<{
  flush(flushed: boolean): void;
  writing(text: string): Statement;
  shorten(): void;
  lockTimeoutMs: number | undefined;
}>;

function makeShared(writer: Handle, { flush, writing, shorten, lockTimeoutMs }: Sharing): Shared {
  const [begin, commit, rollback] = [
    writer.prepare('begin immediate'),
    writer.prepare('commit'),
    writer.prepare('rollback'),
  ];
  const [save, release, undo] = [
    writer.prepare('savepoint one'),
    writer.prepare('release one'),
    writer.prepare('rollback to one'),
  ];
  let commits = 0;
  const execute: Session['run'] = (query) => run(writing(query.sql), query);
  const rollBack = () => {
    if (writer.inTransaction) rollback.run();
  };
  const one: Session = {
    run: execute,
    commit: () => void release.run(),
    rollback: () => {
      if (!writer.inTransaction) return;
      undo.run();
      release.run();
    },
  };
  return Object.freeze({
    async begin(flushed: boolean) {
      if (!writer.open) throw new Error('the store is closed');
      flush(flushed);
      await retryWhileLocked(writer, () => begin.run(), lockTimeoutMs);
    },
    commit() {
      commit.run();
      commits += 1;
      if (commits % COMMITS_PER_LOOK === 0) shorten();
    },
    rollback: rollBack,
    isOpen: () => writer.inTransaction,
    first: { run: execute, commit: () => {}, rollback: rollBack },
    savepoint() {
      save.run();
      return one;
    },
  });
}

/** Sets whether the next commit waits for the disk. One that does flushes earlier commits too. */
function makeFlush(writer: Handle, synchronous: SqliteOptions['synchronous'] = 'FULL'): (flushed: boolean) => void {
  let level = 'FULL';
  const set = (wanted: string) => {
    if (wanted !== level) writer.pragma(`synchronous = ${wanted}`);
    level = wanted;
  };
  set(synchronous);
  return (flushed) => set(flushed ? synchronous : 'NORMAL');
}

/** Reads the version of the file at most ten times a second. */
function readVersion(read: () => number): () => number {
  let version = 0;
  let at = -Infinity;
  return () => {
    const now = performance.now();
    if (now - at < VERSION_MS) return version;
    version = read();
    at = now;
    return version;
  };
}

/** Empties a large write-ahead log. If readers prevent that, a later commit tries again. */
function makeShorten(file: string, writer: Handle, options: SqliteOptions): () => void {
  const limit = options.walLimitBytes ?? WAL_LIMIT_BYTES;
  return () => {
    try {
      if (statSync(`${file}-wal`).size > limit) writer.pragma('wal_checkpoint(TRUNCATE)');
    } catch (error) {
      // An error here must not fail the commit, which is already done.
      options.log?.warn({ error }, 'the write-ahead log could not be emptied');
    }
  };
}
