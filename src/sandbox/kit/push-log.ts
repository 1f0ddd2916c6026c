import { wireTime } from '../../kernel/clock.ts';
import type { Store } from '../store.ts';
import type { SandboxPush } from '../twin.ts';

export type PushKind = 'updates' | 'deauthorize' | 'data_deletion' | 'handshake';
export type PushRow = Readonly<{
  id: number;
  kind: PushKind;
  url: string;
  body: string;
  /** Ids of the Pages whose conversations it is about, as JSON. */
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

/** One delivery as the console and tests see it. */
export type Push = SandboxPush & Readonly<{ kind: PushKind }>;

/** What became of an attempt. */
export type AttemptResult = Pick<PushRow, 'status' | 'answer' | 'done_at' | 'next_at' | 'first_failed_at'> &
  Readonly<{ given_up: boolean }>;

export type PushLog = Readonly<{
  add(push: Pick<PushRow, 'kind' | 'url' | 'body' | 'at'> & Readonly<{ pages?: readonly string[] }>): number;
  /** Everything that waits for a time up to this one, oldest first. */
  due(until: number): readonly PushRow[];
  /** When the next one is due. */
  earliest(): number | undefined;
  note(id: number, result: AttemptResult): void;
  /** Makes a finished delivery wait again. */
  reopen(id: number, now: number): void;
  list(most: number): readonly Push[];
  /** Drops the oldest of those that are over. */
  prune(): void;
  reset(): void;
}>;

const KEPT = 2000;

/** The deliveries of the twin, waiting and over. */
export function openPushLog({ db }: Store): PushLog {
  db.exec(`create table if not exists fb_push (
    id integer primary key, kind text not null, url text not null, body text not null, pages text not null,
    at integer not null, attempts integer not null default 0, next_at integer not null, first_failed_at integer,
    done_at integer, given_up integer not null default 0, status integer, answer text not null default ''
  ) strict;
  create index if not exists fb_push_open on fb_push (next_at) where done_at is null and given_up = 0`);
  const insert = db.prepare(
    'insert into fb_push (kind, url, body, pages, at, next_at) values (?, ?, ?, ?, ?, ?) returning id',
  );
  const due = db.prepare('select * from fb_push where done_at is null and given_up = 0 and next_at <= ? order by id');
  const earliest = db.prepare('select min(next_at) as at from fb_push where done_at is null and given_up = 0');
  const newest = db.prepare('select * from fb_push order by id desc limit ?');
  const note = db.prepare(
    `update fb_push set attempts = attempts + 1, status = ?, answer = ?, done_at = ?, next_at = ?, first_failed_at = ?,
       given_up = ? where id = ?`,
  );
  const reopen = db.prepare(
    `update fb_push set done_at = null, given_up = 0, at = ?, next_at = ? where id = ? and kind <> 'handshake'`,
  );
  const prune = db.prepare(
    'delete from fb_push where (done_at is not null or given_up = 1) and id <= (select max(id) from fb_push) - ?',
  );

  const shown = ({ id, kind, url, body, at, attempts, status, answer, done_at, given_up }: PushRow): Push => ({
    id,
    kind,
    url,
    body,
    at: wireTime(at),
    attempts,
    state: done_at !== null ? 'delivered' : given_up ? 'given_up' : 'waiting',
    status: status ?? undefined,
    answer,
  });

  return Object.freeze({
    add({ kind, url, body, at, pages = [] }: Parameters<PushLog['add']>[0]) {
      return (insert.get(kind, url, body, JSON.stringify(pages), at, at) as { id: number }).id;
    },
    due: (until: number) => due.all(until) as PushRow[],
    earliest: () => (earliest.get() as { at: number | null }).at ?? undefined,
    note(id: number, { status, answer, done_at, next_at, first_failed_at, given_up }: AttemptResult) {
      note.run(status, answer, done_at, next_at, first_failed_at, given_up ? 1 : 0, id);
    },
    reopen: (id: number, now: number) => void reopen.run(now, now, id),
    list: (most: number) => (newest.all(most) as PushRow[]).map(shown),
    prune: () => void prune.run(KEPT),
    reset: () => void db.exec('delete from fb_push'),
  });
}
