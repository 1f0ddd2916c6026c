import type { Database } from 'better-sqlite3';

/** Creates the tables. Their names must stay those of existing sandbox files. */
export function makeTables(db: Database): void {
  db.exec(`
    create table if not exists bsky_repo (did text primary key, last_us integer not null, commit_cid text, commits integer not null) strict;
    create table if not exists bsky_record (
      did text not null, collection text not null, rkey text not null, cid text not null, json text not null,
      shown_cid text not null, shown_json text not null, root_uri text, media integer not null,
      indexed_at integer not null, sort_at integer not null, primary key (did, collection, rkey)
    ) strict;
    create index if not exists bsky_record_feed on bsky_record (did, sort_at, rkey);
    create index if not exists bsky_record_new on bsky_record (collection, sort_at);
    create table if not exists bsky_version (
      seq integer primary key, did text not null, collection text not null, rkey text not null,
      action text not null, cid text, json text, rev text not null, at integer not null
    ) strict;
    create index if not exists bsky_version_key on bsky_version (did, collection, rkey);
    create table if not exists bsky_link (
      did text not null, collection text not null, rkey text not null, kind text not null, target text not null,
      primary key (did, collection, rkey, kind)
    ) strict;
    create index if not exists bsky_link_target on bsky_link (target, kind);
  `);
}
