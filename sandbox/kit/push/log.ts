import { isoTime } from '#kernel/clock.ts';
import type { Store } from '../../store.ts';
import type { SandboxPush } from '../../twin.ts';

export type PushRow = Readonly<{
  id: number;
  kind: string;
  url: string;
  body: string;
  /** A JSON list of the accounts whose events it contains. */
  pages: string;
  at: number;
  attempts: number;
  next_at: number;
  first_failed_at: number | null;
  done_at: number | null;
  given_up: 0 | 1;
  status: number | null;
  answer: string;
}>;

export type AttemptResult = Pick<PushRow, 'status' | 'answer' | 'done_at' | 'next_at' | 'first_failed_at'> &
  Readonly<{ given_up: boolean }>;

/** An event of an account that has not been sent yet. */
export type Update = Readonly<{ page_id: string; kind: string; at: number; item: unknown }>;

const KEPT = 2000;
const IS_OPEN = 'done_at is null and given_up = 0';

function openWaiting({ db }: Store, prefix: string) {
  const table = `${prefix}_update`;
  db.exec(`create table if not exists ${table} (
    id integer primary key, page_id text not null, kind text not null, at integer not null, item text not null
  ) strict`);
  const insert = db.prepare(`insert into ${table} (page_id, kind, at, item) values (?, ?, ?, ?)`);
  const oldest = db.prepare(`select * from ${table} order by id limit ?`);
  const drop = db.prepare(`delete from ${table} where id = ?`);
  const count = db.prepare(`select count(*) as n from ${table}`);
  return Object.freeze({
    add: ({ page_id, kind, at, item }: Update) => void insert.run(page_id, kind, at, JSON.stringify(item)),
    take(most: number): readonly Update[] {
      const rows = oldest.all(most) as (Omit<Update, 'item'> & { id: number; item: string })[];
      for (const { id } of rows) drop.run(id);
      return rows.map(({ page_id, kind, at, item }) => ({ page_id, kind, at, item: JSON.parse(item) as unknown }));
    },
    count: () => (count.get() as { n: number }).n,
    reset: () => void db.exec(`delete from ${table}`),
  });
}

/** Whether a simulator has unsent updates or deliveries; never creates its tables. */
export function hasUnsent({ db, hasTable }: Store, prefix: string): boolean {
  const [pushes, updates] = [`${prefix}_push`, `${prefix}_update`];
  if (!hasTable(pushes) || !hasTable(updates)) return false;
  const unsent = `select 1 from ${pushes} where ${IS_OPEN} union all select 1 from ${updates} limit 1`;
  return db.prepare(unsent).get() !== undefined;
}

export type PushLog = ReturnType<typeof openPushLog>;

/** Stores a simulator's deliveries, and the updates that are not bundled into one yet. */
export function openPushLog(store: Store, prefix: string) {
  const { db } = store;
  const table = `${prefix}_push`;
  db.exec(`create table if not exists ${table} (
    id integer primary key, kind text not null, url text not null, body text not null, pages text not null,
    at integer not null, attempts integer not null default 0, next_at integer not null, first_failed_at integer,
    done_at integer, given_up integer not null default 0, status integer, answer text not null default ''
  ) strict;
  create index if not exists ${table}_open on ${table} (next_at) where ${IS_OPEN}`);
  const insert = db.prepare(
    `insert into ${table} (kind, url, body, pages, at, next_at) values (?, ?, ?, ?, ?, ?) returning id`,
  );
  const open = db.prepare(`select * from ${table} where ${IS_OPEN} order by id`);
  const earliest = db.prepare(`select min(next_at) as at from ${table} where ${IS_OPEN}`);
  const newest = db.prepare(`select * from ${table} order by id desc limit ?`);
  const note = db.prepare(
    `update ${table} set attempts = attempts + 1, status = ?, answer = ?, done_at = ?, next_at = ?, first_failed_at = ?,
       given_up = ? where id = ?`,
  );
  const reopen = db.prepare(
    `update ${table} set done_at = null, given_up = 0, at = ?, next_at = ? where id = ? and kind <> 'handshake'`,
  );
  const drop = db.prepare(`delete from ${table} where ${IS_OPEN} and url = ?`);
  const prune = db.prepare(
    `delete from ${table} where (done_at is not null or given_up = 1) and id <= (select max(id) from ${table}) - ?`,
  );
  const updates = openWaiting(store, prefix);

  const openState = (isGivenUp: PushRow['given_up']) => (isGivenUp ? 'given_up' : 'waiting');
  const view = ({ id, kind, url, body, at, attempts, status, answer, done_at, given_up }: PushRow): SandboxPush => ({
    id,
    kind,
    url,
    body,
    at: isoTime(at),
    attempts,
    state: done_at === null ? openState(given_up) : 'delivered',
    status: status ?? undefined,
    answer,
  });

  return Object.freeze({
    updates,
    add(push: Pick<PushRow, 'kind' | 'url' | 'body' | 'at'> & Readonly<{ accounts?: readonly string[] }>): number {
      const { kind, url, body, at, accounts = [] } = push;
      return (insert.get(kind, url, body, JSON.stringify(accounts), at, at) as { id: number }).id;
    },
    /** All pending deliveries, oldest first. */
    open: () => open.all() as PushRow[],
    earliest: () => (earliest.get() as { at: number | null }).at ?? undefined,
    note(id: number, { status, answer, done_at, next_at, first_failed_at, given_up }: AttemptResult): void {
      note.run(status, answer, done_at, next_at, first_failed_at, given_up ? 1 : 0, id);
    },
    /** Makes a finished delivery pending again. */
    reopen: (id: number, now: number) => void reopen.run(now, now, id),
    drop: (url: string) => void drop.run(url),
    list: (most: number) => (newest.all(most) as PushRow[]).map(view),
    /** Deletes the oldest finished deliveries. */
    prune: () => void prune.run(KEPT),
    reset() {
      db.exec(`delete from ${table}`);
      updates.reset();
    },
  });
}
