import { randomBytes } from 'node:crypto';
import SqliteDatabase, { type Database } from 'better-sqlite3';

export type Store = Readonly<{
  db: Database;
  /** Runs `work` in an immediate transaction, which is on disk when this returns. */
  write<T>(work: () => T): T;
  /** A random secret, created once for each sandbox file. */
  secret(name: string): Buffer;
  /** Whether a table exists; `*` is a wildcard. */
  hasTable(name: string): boolean;
  close(): void;
}>;

/** Opens the sandbox's own SQLite file. Confirmed writes survive a crash of the process and a power cut. */
export function openStore(file: string): Store {
  const db = new SqliteDatabase(file);
  db.pragma('journal_mode = wal');
  db.pragma('synchronous = full');
  // Waiting for another process blocks this one, which may be the server itself.
  db.pragma('busy_timeout = 250');
  db.exec('create table if not exists secret (name text primary key, bytes blob not null) strict');
  const write = <T>(work: () => T): T => db.transaction(work).immediate();

  function secret(name: string): Buffer {
    return write(() => {
      db.prepare('insert into secret (name, bytes) values (?, ?) on conflict do nothing').run(name, randomBytes(32));
      return (db.prepare('select bytes from secret where name = ?').get(name) as { bytes: Buffer }).bytes;
    });
  }

  const tables = db.prepare("select 1 from sqlite_master where type = 'table' and name glob ? limit 1");
  const hasTable = (name: string): boolean => tables.get(name) !== undefined;

  return Object.freeze({ db, write, secret, hasTable, close: () => void db.close() });
}
