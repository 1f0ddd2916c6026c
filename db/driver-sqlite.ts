import { statSync } from 'node:fs';
import type { CompiledQuery, QueryResult } from 'kysely';
import type { Log } from '../src/kernel/log.ts';
import type { Backend } from './backend.ts';
import {
  bindings,
  cacheStatements,
  openFile,
  openImage,
  patiently,
  type Handle,
  type Statement,
} from './sqlite-handle.ts';
import { assertOutside, makeTurns, transact, type Session } from './transaction.ts';

export type SqliteOptions = Readonly<{
  source: Readonly<{ file: string } | { image: Uint8Array }>;
  /** NORMAL may lose the last commits in a power cut, never in a crash of the process. */
  synchronous?: 'FULL' | 'NORMAL' | undefined;
  /** The write-ahead log is emptied when it is larger. */
  walLimitBytes?: number | undefined;
  log?: Pick<Log, 'warn'> | undefined;
}>;

const WAL_LIMIT_BYTES = 64 * 1024 * 1024;
/** Looking at the size of the write-ahead log costs a system call, so not every commit does. */
const COMMITS_PER_LOOK = 64;

/**
 * SQLite: one writer and one reader on a file, so that reads see the last commit while a transaction is open. A
 * database in memory has a single handle, and its reads wait for their turn instead.
 */
export async function openSqlite(options: SqliteOptions): Promise<Backend> {
  const { source } = options;
  const file = 'file' in source ? source.file : undefined;
  const writer = 'file' in source ? await openFile(source.file) : openImage(source.image);
  const reader = file === undefined ? writer : await openFile(file);
  writer.pragma('foreign_keys = ON');
  if (options.synchronous === 'NORMAL') writer.pragma('synchronous = NORMAL');
  if (reader !== writer) reader.pragma('query_only = ON');

  const writing = cacheStatements(writer);
  const reading = reader === writer ? writing : cacheStatements(reader);
  const begin = writer.prepare('begin immediate');
  const commit = writer.prepare('commit');
  const rollback = writer.prepare('rollback');
  const version = writer.prepare<[], number>('pragma data_version').pluck();
  const turns = makeTurns();
  const tidy = file === undefined ? () => {} : makeTidy(file, writer, options);

  const session: Session = {
    run: (query) => run(writing(query.sql), query),
    commit: () => void commit.run(),
    rollback: () => {
      if (writer.inTransaction) rollback.run();
    },
  };

  const read = async <R>(text: string, work: (statement: Statement) => R): Promise<R> => {
    assertOutside('the store');
    const now = () => {
      const statement = reading(text);
      if (!statement.readonly) throw new Error('store.db only reads: write inside store.write');
      return work(statement);
    };
    return reader === writer && turns.busy() ? turns.take(async () => now()) : now();
  };

  return {
    dialect: 'sqlite',
    read: (query) => read(query.sql, (statement) => run(statement, query)),
    prepare: (text) => (parameters) => read(text, (statement) => statement.get(bindings(parameters))),
    transaction: (body) =>
      turns.take(async () => {
        if (!writer.open) throw new Error('the store is closed');
        await patiently(writer, () => begin.run());
        const result = await transact(session, body);
        tidy();
        return result;
      }),
    // On the writer, where our own commits do not count: the reader would see every one of them.
    changed: () => version.get()!,
    close: () =>
      turns.take(async () => {
        reader.close();
        writer.close();
      }),
  };
}

function run(statement: Statement, query: CompiledQuery): QueryResult<unknown> {
  const parameters = bindings(query.parameters);
  if (statement.reader) return { rows: statement.all(parameters) };
  const { changes, lastInsertRowid } = statement.run(parameters);
  return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
}

/** Empties the write-ahead log after a commit that finds it too large; readers in its way put it off. */
function makeTidy(file: string, writer: Handle, options: SqliteOptions): () => void {
  const limit = options.walLimitBytes ?? WAL_LIMIT_BYTES;
  let commits = 0;
  return () => {
    commits += 1;
    if (commits % COMMITS_PER_LOOK !== 0) return;
    try {
      if (statSync(`${file}-wal`).size > limit) writer.pragma('wal_checkpoint(TRUNCATE)');
    } catch (error) {
      // The commit before it stands, whatever happens here.
      options.log?.warn({ error }, 'the write-ahead log could not be emptied');
    }
  };
}
