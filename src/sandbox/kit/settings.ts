import type { Store } from '../store.ts';

/** How the twin behaves where the real network differs from day to day; changed in the console or by tests. */
export const DEFAULTS = Object.freeze({
  /** A fresh id answers 100/33 to readers for so long. */
  read_lag_ms: 0,
  /** A fresh post is missing from lists for so long. */
  list_lag_ms: 0,
  /** A video is in processing for so long, and for so many reads of its status. */
  video_processing_ms: 0,
  video_processing_polls: 1,
  /** Off: an unpublished post cannot be switched on by `is_published=true`. */
  drafts: true,
  /** Sent messages are reported as delivered at once. */
  auto_delivery: true,
  push_paused: false,
  push_duplicate: false,
  push_reverse: false,
  push_wrap: false,
  push_wrong_signature: false,
  /** Where updates go; empty means the product beside the twin. */
  callback_url: '',
  verify_token: 'sandbox',
  /** The callback that has answered the handshake. */
  verified_url: '',
});
export type SettingValues = {
  -readonly [K in keyof typeof DEFAULTS]: (typeof DEFAULTS)[K] extends boolean
    ? boolean
    : (typeof DEFAULTS)[K] extends number
      ? number
      : string;
};

/** An answer a test has ordered: in place of the effect, or after it. */
export type Forced = Readonly<{
  method: string;
  when: 'before' | 'after';
  status: number;
  code: number;
  subcode?: number | undefined;
  is_transient?: boolean | undefined;
  message: string;
}>;

export type Settings = Readonly<{
  get<K extends keyof SettingValues>(name: K): SettingValues[K];
  set(values: Partial<SettingValues>): void;
  all(): SettingValues;
  force(forced: Forced, times: number): void;
  /** Uses up one turn of an ordered answer for this method. */
  take(method: string, when: Forced['when']): Forced | undefined;
  reset(): void;
}>;

/** Switches of the twin and answers ordered in advance, kept on disk as faults are. */
export function openSettings({ db, write }: Store): Settings {
  db.exec(`create table if not exists fb_setting (name text primary key, json text not null) strict;
  create table if not exists fb_forced (
    id integer primary key, method text not null, at text not null, json text not null, times integer not null
  ) strict`);
  const find = db.prepare('select json from fb_setting where name = ?');
  const save = db.prepare(
    'insert into fb_setting (name, json) values (?, ?) on conflict (name) do update set json = excluded.json',
  );
  const order = db.prepare('insert into fb_forced (method, at, json, times) values (?, ?, ?, ?)');
  const next = db.prepare(`select id, json from fb_forced where method in ('', ?) and at = ? order by id limit 1`);
  const spend = db.prepare('update fb_forced set times = times - 1 where id = ?');
  const drop = db.prepare('delete from fb_forced where times <= 0');

  function get<K extends keyof SettingValues>(name: K): SettingValues[K] {
    const row = find.get(name) as { json: string } | undefined;
    return (row === undefined ? DEFAULTS[name] : JSON.parse(row.json)) as SettingValues[K];
  }

  return Object.freeze({
    get,
    set: (values: Partial<SettingValues>) =>
      write(() => {
        for (const [name, value] of Object.entries(values)) save.run(name, JSON.stringify(value));
      }),
    all: () =>
      Object.fromEntries(
        Object.keys(DEFAULTS).map((name) => [name, get(name as keyof SettingValues)]),
      ) as SettingValues,
    force(forced: Forced, times: number) {
      order.run(forced.method, forced.when, JSON.stringify(forced), times);
    },
    take(method: string, when: Forced['when']) {
      const row = next.get(method, when) as { id: number; json: string } | undefined;
      if (row === undefined) return undefined;
      write(() => {
        spend.run(row.id);
        drop.run();
      });
      return JSON.parse(row.json) as Forced;
    },
    reset: () => void db.exec('delete from fb_setting; delete from fb_forced'),
  });
}
