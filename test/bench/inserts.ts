import { randomUUID } from 'node:crypto';
import Database from 'better-sqlite3';

/** Opens a table of its own; each insert into it waits for the disk. */
export function openInserts(file: string): (body: string, id?: string, at?: number) => void {
  const database = new Database(file);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.exec('create table inserts (id text primary key, body text not null, created_at integer not null)');
  const insert = database.prepare('insert into inserts (id, body, created_at) values (?, ?, ?)');
  return (body, id = randomUUID(), at = Date.now()) => void insert.run(id, body, at);
}
