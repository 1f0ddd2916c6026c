import type { Database } from 'better-sqlite3';
import { linksOf, mentionsIn } from '../lexicons.ts';
import { POST, postAt } from '../uris.ts';

export type NoticeRow = Readonly<{
  seq: number;
  did: string;
  author: string;
  collection: string;
  rkey: string;
  reason: string;
  /** The recipient's post that it is about; null for a mention or a follow. */
  subject: string | null;
  at: number;
}>;
export type NoticePosition = Readonly<{ at: number; seq: number }>;

export type Notices = Readonly<{
  /** Notifies everybody to whom a new record refers. Inside a transaction. */
  add(
    row: Readonly<{ did: string; collection: string; rkey: string; sort_at: number }>,
    record: Record<string, unknown>,
  ): void;
  /** Removes the notifications of a deleted record. Inside a transaction. */
  drop(did: string, collection: string, rkey: string): void;
  list(did: string, below: NoticePosition, limit: number): readonly NoticeRow[];
  unread(did: string): number;
  seen(did: string): number | undefined;
  setSeen(did: string, at: number): void;
}>;

/** How many posts of a thread a reply notifies, counting the reply itself. */
const REPLY_DEPTH = 5;
const authorOf = (uri: string): string | undefined => postAt(uri)?.who;

export function openNotices(db: Database): Notices {
  db.exec(`
    create table if not exists bsky_notice (
      seq integer primary key, did text not null, author text not null, collection text not null, rkey text not null,
      reason text not null, subject text, at integer not null
    ) strict;
    create index if not exists bsky_notice_new on bsky_notice (did, at, seq);
    create index if not exists bsky_notice_record on bsky_notice (author, collection, rkey);
    create table if not exists bsky_seen (did text primary key, at integer not null) strict;
  `);
  const insert = db.prepare(
    'insert into bsky_notice (did, author, collection, rkey, reason, subject, at) values (?, ?, ?, ?, ?, ?, ?)',
  );
  const remove = db.prepare('delete from bsky_notice where author = ? and collection = ? and rkey = ?');
  const below = db.prepare(
    'select * from bsky_notice where did = ? and (at, seq) < (?, ?) order by at desc, seq desc limit ?',
  );
  const unread = db.prepare('select count(*) as n from bsky_notice where did = ? and at > ?');
  const seenAt = db.prepare('select at from bsky_seen where did = ?');
  const setSeen = db.prepare(
    'insert into bsky_seen (did, at) values (?, ?) on conflict do update set at = excluded.at',
  );
  const parent = db.prepare(`
    select target from bsky_link where did = ? and collection = 'app.bsky.feed.post' and rkey = ? and kind = 'reply'`);
  const seen = (did: string) => (seenAt.get(did) as { at: number } | undefined)?.at;

  const parentOf = (did: string, rkey: string) => (parent.get(did, rkey) as { target: string } | undefined)?.target;

  /** The posts above a reply, nearest first; ends at a deleted one. */
  function above(parentUri: string | undefined): readonly string[] {
    const line: string[] = [];
    for (let uri = parentUri; uri !== undefined && line.length < REPLY_DEPTH - 1;) {
      line.push(uri);
      const post = postAt(uri);
      uri = post && parentOf(post.who, post.rkey);
    }
    return line;
  }

  type Notice = Readonly<{ did: string | undefined; reason: string; subject?: string | undefined }>;

  function noticesOf(
    did: string,
    collection: string,
    rkey: string,
    record: Record<string, unknown>,
  ): readonly Notice[] {
    const links = linksOf(collection, record);
    const target = (kind: string) => links.find((link) => link.kind === kind)?.target;
    if (collection !== POST) {
      const [link] = links;
      if (link === undefined || link.kind === 'block') return [];
      if (link.kind === 'follow') return [{ did: link.target, reason: 'follow' }];
      return [{ did: authorOf(link.target), reason: link.kind, subject: link.target }];
    }
    const quoted = target('quote');
    // A reply that the thread does not allow notifies nobody above it.
    return [
      ...mentionsIn(record).map((one) => ({ did: one, reason: 'mention' })),
      ...(quoted === undefined ? [] : [{ did: authorOf(quoted), reason: 'quote', subject: quoted }]),
      ...above(parentOf(did, rkey)).map((uri) => ({ did: authorOf(uri), reason: 'reply', subject: uri })),
    ];
  }

  return Object.freeze({
    add({ did, collection, rkey, sort_at }: Parameters<Notices['add']>[0], record: Record<string, unknown>) {
      const notified = new Set([did]);
      for (const { did: whom, reason, subject } of noticesOf(did, collection, rkey, record)) {
        // A record notifies each person once, for the first reason that applies.
        if (whom === undefined || notified.has(whom)) continue;
        notified.add(whom);
        insert.run(whom, did, collection, rkey, reason, subject ?? null, sort_at);
      }
    },
    drop: (did: string, collection: string, rkey: string) => void remove.run(did, collection, rkey),
    list: (did: string, { at, seq }: NoticePosition, limit: number) => below.all(did, at, seq, limit) as NoticeRow[],
    unread: (did: string) => (unread.get(did, seen(did) ?? 0) as { n: number }).n,
    seen,
    setSeen: (did: string, at: number) => void setSeen.run(did, at),
  });
}
