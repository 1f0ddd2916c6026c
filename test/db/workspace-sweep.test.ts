import { sql } from 'kysely';
import { expect, it } from 'vitest';
import type { Store } from '#db/store/open.ts';
import type { Database, NewRow } from '#db/schema/database.ts';
import { findUser, findWorkspace, removeWorkspace } from '#db/access/users.ts';
import { sweepRemovedWorkspaces } from '#db/upkeep/removed-workspaces.ts';
import { describeStores } from '../harness/stores/stores.ts';

const NOW = Date.UTC(2026, 10, 21);
const LIMIT = 50;

/** A workspace that has been used: 120 posts, log entries and deliveries, and one of everything else. */
async function fill(store: Store, ws: string): Promise<void> {
  const at = { created_at: NOW };
  const both = { ...at, updated_at: NOW };
  const own = { workspace_id: ws };
  const named = (name: string, n = 0) => ({ id: `${name}_${ws}_${n}`, ...own });
  const many = <T>(make: (n: number) => T) => Array.from({ length: 120 }, (_, n) => make(n));
  const post = (n: number): NewRow<'posts'> => {
    const empty = { media: [], segments: [], platform_data: {}, search: '', visibility: 'public' } as const;
    const rest = { status: 'draft', sort_at: NOW, hidden: 0, retry_count: 0, version: 0, source: 'api' } as const;
    return { ...named('post', n), ...both, ...empty, ...rest };
  };
  await store.write(async ({ db }) => {
    const add = <T extends keyof Database>(table: T, rows: NewRow<T> | NewRow<T>[]) =>
      db.insertInto(table).values(rows).execute();
    await add('workspaces', { id: ws, plan: 'free', ...at, brands_count: 1, storage_bytes: 0 });
    const user = {
      ...named('usr'),
      ...at,
      email: `${ws}@example.org`,
      name: 'A',
      onboarding: 1,
      lock_accounts_to_brand: 0,
    } as const;
    await add('users', user);
    const key = { hash: ws, preview: '', scopes: [], brand_ids: [], is_active: 1, name: 'k' } as const;
    await add('keys', { ...named('key'), ...at, ...key, user_id: user.id });
    await add('brands', { ...named('brd'), ...both, name: 'B' });
    await add('posts', many(post));
    const entry = { category: 'post', action: 'a', status: 'success', summary: 's', metadata: {} } as const;
    await add(
      'log',
      many((n) => ({ ...named('log', n), ...at, ...entry })),
    );
    const secret = { url: 'https://a.test', secret: '', secret_hint: '', is_active: 1, slots: 16, failing: 0 } as const;
    await add('endpoints', { ...named('whk'), ...both, ...secret });
    await add('endpoint_events', { endpoint_id: named('whk').id, event: 'post.deleted', ...own, position: 0 });
    const sent = {
      endpoint_id: named('whk').id,
      event_type: 'post.deleted',
      status: 'pending',
      attempt_count: 0,
      run_at: NOW,
      interrupted: 0,
    } as const;
    await add(
      'deliveries',
      many((n) => ({ ...named('dlv', n), ...at, ...sent })),
    );
    const file = { status: 'ready', filename: 'a', content_type: 'image/png', size_bytes: 1 } as const;
    await add('media', { ...named('med'), ...at, ...file });
    const answered = { sealed: '', lease_token: null, lease_until: null, expires_at: NOW } as const;
    await add(
      'idempotency',
      many((n) => ({ ...named('idem', n), ...answered })),
    );
    await add('events', { ...named('evt'), ...at, name: 'post.deleted', body: '{}' });
  });
}

const TABLES = [
  'workspaces',
  'users',
  'keys',
  'brands',
  'posts',
  'log',
  'endpoints',
  'endpoint_events',
  'deliveries',
  'media',
  'events',
  'idempotency',
];

/** How many rows each table has. */
async function sizes(store: Store): Promise<Record<string, number>> {
  const counts = TABLES.map(async (table) => {
    const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(store.db);
    return [table, rows[0]!.n] as const;
  });
  return Object.fromEntries(await Promise.all(counts));
}

describeStores('a removed workspace', ({ open }) => {
  it('is gone at once, and its history goes step by step', async () => {
    const store = await open();
    await fill(store, 'ws_gone');
    await fill(store, 'ws_kept');
    expect(await store.write(({ db }) => removeWorkspace(db, 'ws_gone', NOW))).toBe(true);
    expect(await store.write(({ db }) => removeWorkspace(db, 'ws_gone', NOW + 1))).toBe(false);
    expect(await findWorkspace(store.db, 'ws_gone')).toBeUndefined();
    expect(await findUser(store.db, 'usr_ws_gone_0')).toBeUndefined();
    expect(await sizes(store)).toMatchObject({ users: 1, keys: 1, endpoint_events: 1, posts: 240, deliveries: 240 });
    const off = await store.db
      .selectFrom('endpoints')
      .select(['is_active', 'removed_at'])
      .where('workspace_id', '=', 'ws_gone')
      .execute();
    expect(off).toEqual([{ is_active: 0, removed_at: NOW }]);

    const steps: number[] = [];
    let before = await sizes(store);
    for (;;) {
      const gone = await store.write(({ db }) => sweepRemovedWorkspaces(db, LIMIT));
      if (gone === 0) break;
      const after = await sizes(store);
      for (const table of TABLES) expect(before[table]! - after[table]!).toBeLessThanOrEqual(LIMIT);
      before = after;
      steps.push(gone);
    }
    expect(steps.length).toBeGreaterThan(7);
    expect(before).toEqual({
      ...Object.fromEntries(TABLES.map((table) => [table, 1])),
      posts: 120,
      log: 120,
      deliveries: 120,
      idempotency: 120,
    });
    expect((await findWorkspace(store.db, 'ws_kept'))?.id).toBe('ws_kept');
  });
});
