import type { Store } from '../../store.ts';

export type ConvoRow = Readonly<{
  id: string;
  low: string;
  high: string;
  started_by: string;
  locked: number;
  rev: string;
  /** The revision of the last message, or of the conversation's beginning. */
  last_rev: string;
}>;
export type MemberRow = Readonly<{
  convo: string;
  person: string;
  status: 'request' | 'accepted';
  muted: number;
  read_rev: string;
  /** The revision at which the member left; earlier messages stay invisible. */
  left_rev: string;
}>;
export type MessageRow = Readonly<{
  id: string;
  convo: string;
  rev: string;
  sender: string;
  json: string;
  sent_at: number;
}>;
export type ReactionRow = Readonly<{ message: string; person: string; value: string; at: number }>;
export type LogRow = Readonly<{
  rev: string;
  type: string;
  convo: string;
  message: string | null;
  reaction: string | null;
}>;

export function makeTables({ db }: Store, prefix: string): void {
  db.exec(`
    create table if not exists ${prefix}_chat_count (id integer primary key check (id = 1), rev integer not null, last_us integer not null) strict;
    create table if not exists ${prefix}_convo (
      id text primary key, low text not null, high text not null, started_by text not null, locked integer not null default 0,
      rev text not null, last_rev text not null, unique (low, high)
    ) strict;
    create table if not exists ${prefix}_convo_member (
      convo text not null, person text not null, status text not null, muted integer not null default 0,
      read_rev text not null default '', left_rev text not null default '', primary key (convo, person)
    ) strict;
    create index if not exists ${prefix}_convo_of on ${prefix}_convo_member (person);
    create table if not exists ${prefix}_message (
      id text primary key, convo text not null, rev text not null unique, sender text not null, json text not null, sent_at integer not null
    ) strict;
    create index if not exists ${prefix}_message_new on ${prefix}_message (convo, rev);
    create table if not exists ${prefix}_message_gone (message text not null, person text not null, primary key (message, person)) strict;
    create table if not exists ${prefix}_reaction (
      message text not null, person text not null, value text not null, at integer not null, primary key (message, person, value)
    ) strict;
    create table if not exists ${prefix}_chat_log (
      person text not null, rev text not null, type text not null, convo text not null, message text, reaction text,
      primary key (person, rev)
    ) strict;
  `);
}

export function messageTables({ db }: Store, prefix: string) {
  const insertMessage = db.prepare(`
    insert into ${prefix}_message (id, convo, rev, sender, json, sent_at) values (@id, @convo, @rev, @sender, @json, @sent_at)`);

  const freshen = db.prepare(`update ${prefix}_convo set last_rev = ? where id = ?`);

  const message = db.prepare(`select * from ${prefix}_message where id = ?`);

  const messages = db.prepare(
    `select * from ${prefix}_message where convo = ? and rev > ? and rev < ? order by rev desc limit ?`,
  );

  const everyMessage = db.prepare(`select * from ${prefix}_message order by rev`);

  const unread = db.prepare(`
    select count(*) as n from ${prefix}_message where convo = ? and sender <> ? and rev > ?`);

  const hide = db.prepare(`insert into ${prefix}_message_gone (message, person) values (?, ?) on conflict do nothing`);

  const hidden = db.prepare(`select 1 from ${prefix}_message_gone where message = ? and person = ?`);

  const reactions = db.prepare(`select * from ${prefix}_reaction where message = ? order by at, person, value`);

  const react = db.prepare(
    `insert into ${prefix}_reaction (message, person, value, at) values (?, ?, ?, ?) on conflict do nothing`,
  );

  const unreact = db.prepare(`delete from ${prefix}_reaction where message = ? and person = ? and value = ?`);

  return Object.freeze({
    insertMessage,
    freshen,
    message,
    messages,
    everyMessage,
    unread,
    hide,
    hidden,
    reactions,
    react,
    unreact,
  });
}

export function convoTables({ db }: Store, prefix: string) {
  // Keep the count in a reset, so that no cursor points into the future.
  const count = db.prepare(`
    insert into ${prefix}_chat_count (id, rev, last_us) values (1, 1, @us)
    on conflict do update set rev = rev + 1, last_us = max(last_us + 1, @us) returning rev, last_us`);
  const counted = db.prepare(`select rev from ${prefix}_chat_count`);
  const find = db.prepare(`select * from ${prefix}_convo where id = ?`);
  const between = db.prepare(`select * from ${prefix}_convo where low = ? and high = ?`);
  const insert = db.prepare(
    `insert into ${prefix}_convo (id, low, high, started_by, rev, last_rev) values (@id, @low, @high, @by, @rev, @rev)`,
  );
  const join = db.prepare(`insert into ${prefix}_convo_member (convo, person, status) values (?, ?, ?)`);
  const member = db.prepare(`select * from ${prefix}_convo_member where convo = ? and person = ?`);
  const setMember = db.prepare(`
    update ${prefix}_convo_member set status = @status, muted = @muted, read_rev = @read_rev, left_rev = @left_rev
    where convo = @convo and person = @person`);
  const listed = db.prepare(`
    select c.* from ${prefix}_convo_member m join ${prefix}_convo c on c.id = m.convo
    where m.person = @person and c.last_rev < @below and c.last_rev > m.left_rev
      and (c.started_by = @person or exists (select 1 from ${prefix}_message where convo = c.id))
    order by c.last_rev desc limit @limit`);
  const all = db.prepare(`select * from ${prefix}_convo order by last_rev desc limit ?`);
  const touch = db.prepare(`update ${prefix}_convo set rev = ? where id = ?`);
  const setLocked = db.prepare(`update ${prefix}_convo set locked = ? where id = ?`);
  const log = db.prepare(
    `insert into ${prefix}_chat_log (person, rev, type, convo, message, reaction) values (?, ?, ?, ?, ?, ?)`,
  );
  const logs = db.prepare(`select * from ${prefix}_chat_log where person = ? and rev > ? order by rev limit ?`);
  return Object.freeze({
    count,
    counted,
    find,
    between,
    insert,
    join,
    member,
    setMember,
    listed,
    all,
    touch,
    setLocked,
    log,
    logs,
  });
}
