import { closeSync, cpSync, fsyncSync, openSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { CompiledQuery, Kysely } from 'kysely';
import { builderOn } from '#db/store/builder.ts';
import { NEVER, type Database as Tables } from '#db/schema/database.ts';
import { bindings } from '#db/store/sqlite/handle.ts';
import type { Position } from '#kernel/pagination.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';

/** 2026-01-01, and a post every minute from then on. */
const START = 1_767_225_600_000;
const STEP = 60_000;

const POSTS = `
  with recursive n(i) as (select 0 union all select i + 1 from n where i + 1 < :count)
  insert into posts (id, workspace_id, status, text, visibility, media, segments, platform_data, published_at, sort_at,
    search, source, created_at, updated_at)
  select printf('post_%026d', i), :workspace, iif(i % 10 = 0, 'draft', 'published'),
    'Post number ' || i || ': ' || :text, 'public', '[]', '[]', '{}', iif(i % 10 = 0, null, :start + i * :step),
    :start + i * :step, 'post number ' || i || ': ' || :text, 'api', :start + i * :step, :start + i * :step
  from n`;

const TARGETS = `
  insert into targets (id, post_id, workspace_id, account_id, brand_id, platform, position, overrides, status, due_at,
    action, attempts, platform_post_id, permalink, published_at, metadata, fingerprint, created_at)
  select 'tgt_' || substr(id, 6), id, workspace_id, 'acc_' || substr(id, 6), 'brd_' || substr(id, 6), 'bluesky', 0,
    '{}', status, :never, 'publish', iif(status = 'draft', 0, 1), iif(status = 'draft', null, 'at://' || id),
    iif(status = 'draft', null, 'https://bsky.example/' || id), published_at, '{}', lower(hex(randomblob(32))),
    created_at
  from posts`;

const INDEXES = `
  select name, sql from sqlite_master where type = 'index' and sql is not null and tbl_name in ('posts', 'targets')`;

const BRAND = `
  insert into brands (id, workspace_id, name, created_at, updated_at) values (:brand, :workspace, :brand, :now, :now)`;

const ACCOUNT = `
  insert into accounts (id, workspace_id, brand_id, platform, network, platform_user_id, name, username, status,
    metadata, session, refresh_at, lease_until, created_at, updated_at)
  values (:id, :workspace, :brand, :platform, 'real', :user, 'Bench', 'bench', 'active', '{}', '', :never, 0, :now, :now)`;

const TEXT =
  'a sentence or two, as long as what people write in such posts, with a link to https://example.org at the end.';

export type Seeded = Readonly<{ file: string; workspace: string }>;

/** Copies a data folder that no server has open, and fills it with posts of one target each. */
export function seedPosts(from: string, to: string, count: number): Seeded {
  cpSync(from, to, { recursive: true });
  const file = join(to, 'rostra.db');
  const database = new Database(file);
  try {
    // Nothing of it has to survive anything, and an index that is made at the end is sorted once.
    for (const setting of ['journal_mode = DELETE', 'journal_mode = OFF', 'synchronous = OFF', 'cache_size = -1000000'])
      database.pragma(setting);
    const workspace = database.prepare<[], string>('select id from workspaces').pluck().get()!;
    const indexes = database.prepare<[], Readonly<{ name: string; sql: string }>>(INDEXES).all();
    database.transaction(() => {
      for (const { name } of indexes) database.exec(`drop index "${name}"`);
      database.prepare(POSTS).run({ count, workspace, text: TEXT, start: START, step: STEP });
      database.prepare(TARGETS).run({ never: NEVER });
      for (const { sql } of indexes) database.exec(sql);
    })();
    database.pragma('journal_mode = WAL');
    return { file, workspace };
  } finally {
    database.close();
    flush(file);
  }
}

/** Else the first commit of a server would wait for all of it, in the middle of a measurement. */
function flush(file: string): void {
  const handle = openSync(file, 'r+');
  fsyncSync(handle);
  closeSync(handle);
}

/** Adds an account that nobody signs in to. */
export function addAccount(
  file: string,
  account: Readonly<{ id: string; platform: PlatformSlug; user: string }>,
): void {
  const database = new Database(file);
  try {
    const workspace = database.prepare<[], string>('select id from workspaces').pluck().get()!;
    const row = { ...account, brand: `brd_${'0'.repeat(26)}`, workspace, now: Date.now(), never: NEVER };
    database.prepare(BRAND).run(row);
    database.prepare(ACCOUNT).run(row);
  } finally {
    database.close();
  }
}

/** Where a page begins that leaves this many posts behind it. */
export function positionAfter(count: number): Position {
  return { at: START + (count - 1) * STEP, id: postId(count - 1) };
}

export function postId(index: number): string {
  return `post_${String(index).padStart(26, '0')}`;
}

/** The statement that a query function of the store runs. */
export async function statementOf(build: (db: Kysely<Tables>) => Promise<unknown>): Promise<CompiledQuery> {
  const seen: CompiledQuery[] = [];
  await build(
    builderOn<Tables>('sqlite', async (query) => {
      seen.push(query);
      return { rows: [] };
    }),
  );
  return seen[0]!;
}

/** How SQLite runs a statement: each step of its plan. */
export function planOf(file: string, { sql, parameters }: CompiledQuery): readonly string[] {
  const database = new Database(file, { readonly: true });
  try {
    const rows = database.prepare<unknown[], { detail: string }>(`explain query plan ${sql}`).all(bindings(parameters));
    return rows.map(({ detail }) => detail);
  } finally {
    database.close();
  }
}
