import { closeSync, cpSync, fsyncSync, openSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { CompiledQuery } from 'kysely';
import { type Kysely } from 'kysely';
import { builderOn } from '../../db/store/builder.ts';
import { NEVER, type Database as Tables } from '../../db/schema/database.ts';
import { bindings } from '../../db/store/sqlite/handle.ts';
import type { Position } from '../../src/kernel/page.ts';

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

const TEXT =
  'a sentence or two, as long as what people write in such posts, with a link to https://example.org at the end.';

export type Seeded = Readonly<{ file: string; workspace: string }>;

/** Copies a data folder that no server has open, and fills it with posts of one target each. */
export function seedPosts(from: string, to: string, count: number): Seeded {
  cpSync(from, to, { recursive: true });
  const file = join(to, 'rostra.db');
  const database = new Database(file);
  try {
    database.pragma('synchronous = OFF');
    const workspace = database.prepare<[], string>('select id from workspaces').pluck().get()!;
    database.transaction(() => {
      database.prepare(POSTS).run({ count, workspace, text: TEXT, start: START, step: STEP });
      database.prepare(TARGETS).run({ never: NEVER });
    })();
    database.pragma('wal_checkpoint(TRUNCATE)');
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
